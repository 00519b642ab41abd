//! `a with [i] = e`: an array by its elements, all of them those of `a` but one. It is typed as
//! `{ let old = a; let at = i; let new = e; let _ = old[at]; build k < n => if k == at then new else old[k] }`:
//! that the position is there is for indexing to say.

use base::{Name, Span};
use syntax::ast;

use crate::error::Why;
use crate::infer::Infer;
use crate::typed::{Expr, Kind, Let, LocalId, Pattern, PatternKind, SizeArg};
use crate::types::{Size, Type};

impl Infer<'_> {
    pub(super) fn with(
        &mut self,
        array: &ast::Expr,
        indices: &[ast::Expr],
        value: &ast::Expr,
        hint: Option<&Type>,
        span: Span,
    ) -> (Kind, Type) {
        let array = self.expr(array, hint);
        let whole = array.ty.clone();
        let mut elem = whole.clone();
        let mut sizes: Vec<Size> = Vec::new();
        let mut at: Vec<Expr> = Vec::new();
        for (position, index) in indices.iter().enumerate() {
            let Some((size, inner)) = self.axis(&elem, array.span, position) else {
                return (Kind::Error, Type::Error);
            };
            at.push(self.check(index, &Type::Int, &Why::Index));
            sizes.push(size);
            elem = inner;
        }
        let value = self.check(value, &elem, &Why::With(array.span));
        let value = Expr { ty: elem.clone(), ..value };

        let mut lets = Vec::new();
        let old = self.named("old", array, &mut lets);
        let at: Vec<Expr> = at.into_iter().map(|it| self.named("at", it, &mut lets)).collect();
        let new = self.named("new", value, &mut lets);
        let here = Expr { kind: Kind::Index(Box::new(old.clone()), at.clone()), ty: elem, span };
        let nothing = Pattern { kind: PatternKind::Wildcard, ty: here.ty.clone(), span };
        lets.push(Let::Plain(nothing, Box::new(here.clone())));

        let int = |kind: Kind| Expr { kind, ty: Type::Int, span };
        let bool = |kind: Kind| Expr { kind, ty: Type::Bool, span };
        let mut bounds: Vec<(LocalId, SizeArg)> = Vec::new();
        for size in sizes {
            let local = self.new_local(Name::from("k"), Type::Int, span);
            let expr = int(Kind::Size(size.clone()));
            bounds.push((local, SizeArg { expr, size, defines: None }));
        }
        let places: Vec<Expr> = bounds.iter().map(|it| int(Kind::Local(it.0))).collect();
        let equal =
            |(k, at): (&Expr, &Expr)| bool(Kind::Equal(Box::new(k.clone()), Box::new(at.clone())));
        let all = |left: Expr, right: Expr| {
            let no = bool(Kind::Bool(false));
            bool(Kind::If(Box::new(left), Box::new(right), Box::new(no)))
        };
        let is_here = places.iter().zip(&at).map(equal).reduce(all);
        let is_here = is_here.unwrap_or_else(|| bool(Kind::Bool(true)));
        let ty = here.ty;
        let kept = Expr { kind: Kind::Index(Box::new(old), places), ty: ty.clone(), span };
        let kind = Kind::If(Box::new(is_here), Box::new(new), Box::new(kept));
        let body = Expr { kind, ty, span };
        let build = Expr { kind: Kind::Build(bounds, Box::new(body)), ty: whole.clone(), span };
        (Kind::Block(lets, Box::new(build)), whole)
    }

    /// Binds a value that is used several times to a variable that no program can mention.
    fn named(&mut self, name: &str, value: Expr, lets: &mut Vec<Let>) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let local = self.new_local(Name::from(name), ty.clone(), span);
        let pattern = Pattern { kind: PatternKind::Local(local), ty: ty.clone(), span };
        lets.push(Let::Plain(pattern, Box::new(value)));
        Expr { kind: Kind::Local(local), ty, span }
    }
}
