//! Types of definitions: what they are polymorphic in, and how their sizes depend on arguments.

use base::{Name, Span};

use crate::solve::{Guess, Solver};
use crate::types::{Rigid, ShowSize, Size, Type, rigid_size};

/// The type of a definition.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Type parameters.
    pub types: Vec<Name>,
    /// Size parameters.
    pub sizes: Vec<Rigid>,
    /// Parameters; `None` for a constant.
    pub params: Option<Vec<SchemeParam>>,
    /// The result.
    pub result: Type,
    /// Sizes in the result that only a call can tell.
    pub opaque: Vec<Rigid>,
    /// What it asks of its type parameters. Each is a further parameter of the definition in the program,
    /// after those that are written, and is shown to nobody.
    pub over_reals: Vec<OverReals>,
}

/// That the reals of all values of a type parameter can be mapped, or zipped: what the definition gets is
/// the function that does so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OverReals {
    /// The type parameter.
    pub of: Name,
    /// How many values are side by side: 1 for `map_reals`, 2 for `zip_reals`.
    pub n_values: usize,
}

/// A parameter of a definition.
#[derive(Clone, Debug)]
pub struct SchemeParam {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Type,
    /// Of an `Int`: the size it stands for in the types around it.
    pub rigid: Option<Rigid>,
    /// Where it is declared.
    pub span: Span,
    /// The literal because of which it is an `Int`, if nothing else says so.
    pub guess: Option<Guess>,
}

impl SchemeParam {
    /// What to call it in messages; it is the parameter at that place.
    pub(crate) fn shown_name(&self, at: usize) -> Name {
        self.name.clone().unwrap_or_else(|| Name::from(format!("x{at}")))
    }
}

/// A scheme at one use.
#[derive(Clone, Debug)]
pub struct Instantiated {
    /// What the type parameters stand for.
    pub types: Vec<Type>,
    /// What the size parameters stand for.
    pub sizes: Vec<Size>,
    /// Parameter types.
    pub params: Vec<Type>,
    /// Result type.
    pub result: Type,
    /// Fresh sizes for those that only a call can tell.
    pub opaque: Vec<Rigid>,
    /// Where the parameters are declared.
    pub declared: Vec<Span>,
    /// For every `Int` parameter that is a size: its position and the unknown that stands for it.
    pub dependent: Vec<(usize, Size)>,
}

impl Scheme {
    /// The surface type: of the function, or of the constant.
    pub fn ty(&self) -> Type {
        match &self.params {
            Some(params) => {
                Type::function(params.iter().map(|it| it.ty.clone()).collect(), self.result.clone())
            }
            None => self.result.clone(),
        }
    }

    /// Fresh unknowns for everything the definition is polymorphic in.
    pub fn instantiate(&self, solver: &mut Solver, span: Span) -> Instantiated {
        let types: Vec<Type> = self.types.iter().map(|_| solver.fresh_type()).collect();
        let sizes: Vec<Size> = self.sizes.iter().map(|_| solver.fresh_size()).collect();
        let opaque: Vec<Rigid> =
            self.opaque.iter().map(|it| solver.fresh_opaque(it.name.clone(), span)).collect();
        let all_params = self.params.as_deref().unwrap_or(&[]);
        let mut dependent = Vec::new();
        let mut rigids: Vec<(Rigid, Size)> =
            self.sizes.iter().cloned().zip(sizes.clone()).collect();
        rigids.extend(self.opaque.iter().cloned().zip(opaque.iter().map(rigid_size)));
        for (position, param) in all_params.iter().enumerate() {
            if let Some(rigid) = &param.rigid {
                let unknown = solver.fresh_size();
                dependent.push((position, unknown.clone()));
                rigids.push((rigid.clone(), unknown));
            }
        }
        let by_name = |name: &Name| {
            self.types.iter().position(|it| it == name).map(|position| types[position].clone())
        };
        let by_rigid = |rigid: &Rigid| {
            rigids.iter().find(|(it, _)| it.id == rigid.id).map(|(_, size)| size.clone())
        };
        let param = |it: &SchemeParam| match &it.guess {
            Some(guess) => solver.guessed(it.ty.clone(), guess),
            None => it.ty.substitute(&by_name, &by_rigid),
        };
        let params = all_params.iter().map(param).collect();
        let result = self.result.substitute(&by_name, &by_rigid);
        // Builtins are declared in no text of the program.
        let declared = all_params.iter().map(|it| it.span);
        let declared = declared.filter(|it| it.file.0 != u32::MAX).collect();
        Instantiated { types: types.clone(), sizes, params, result, opaque, declared, dependent }
    }
}

/// A scheme as the user reads it.
pub fn show_scheme(scheme: &Scheme) -> String {
    let mut text = scheme.ty().to_string();
    if let Some(rigid) = scheme.opaque.first() {
        text = text
            .replace(&format!("[{}]", ShowSize(&rigid_size(rigid))), &format!("[{}]", rigid.name));
    }
    text
}
