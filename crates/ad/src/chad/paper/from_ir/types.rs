//! Types of the ir as types of the paper: data types are sums of products.

use base::Name;
use ir::{Size, Type as IrType, Var};

use super::{Reader, Said};
use crate::chad::paper::term::{Side, Term};
use crate::chad::paper::types::Type;

/// A size that is a value of the program.
const UNKNOWN: Var = Var(u32::MAX);

impl Reader<'_> {
    /// The type with sizes and types of the outermost definition.
    pub(super) fn instance(&self, ty: &IrType) -> IrType {
        let frame = &self.frame;
        let size = |it| Some(frame.sizes.get(&it).cloned().unwrap_or_else(|| Size::var(UNKNOWN)));
        ty.substitute(&|it| frame.types.get(it).cloned(), &size)
    }

    /// A size in terms of those of the outermost definition.
    pub(super) fn size(&self, size: &Size) -> Said<Size> {
        known_size(&size.substitute(&mut |it| {
            self.frame.sizes.get(it).cloned().unwrap_or_else(|| Size::var(UNKNOWN))
        }))
    }

    pub(super) fn ty(&self, ty: &IrType) -> Said<Type> {
        self.known(&self.instance(ty), &mut Vec::new())
    }

    /// The type of an instance; `inside` are the data types that it is part of.
    pub(super) fn known(&self, ty: &IrType, inside: &mut Vec<Name>) -> Said<Type> {
        match ty {
            IrType::Real => Ok(Type::Real),
            IrType::Int => Ok(Type::Int),
            IrType::Bool => Ok(Type::bool()),
            IrType::String => Err("texts".into()),
            IrType::Tuple(parts) => self.product(parts, inside),
            IrType::Array(size, elem) => Ok(self.known(elem, inside)?.array(&known_size(size)?)),
            IrType::Function(params, result) => {
                Ok(self.product(params, inside)?.to(&self.known(result, inside)?))
            }
            IrType::Data(name, ..) => {
                if inside.contains(name) {
                    return Err(format!("the recursive type `{name}`"));
                }
                inside.push(name.clone());
                let cons = self.constructors(ty)?;
                let parts = cons.iter().map(|it| self.product(&it.1, inside));
                let parts = parts.collect::<Said<Vec<Type>>>()?;
                inside.pop();
                Ok(sum(&parts))
            }
            IrType::Var(_) => Err("type parameters".into()),
            IrType::Dual(_) | IrType::Delta | IrType::Tape(_) => Err("dual numbers".into()),
        }
    }

    fn product(&self, parts: &[IrType], inside: &mut Vec<Name>) -> Said<Type> {
        let parts = parts.iter().map(|it| self.known(it, inside)).collect::<Said<Vec<Type>>>()?;
        Ok(Type::tuple(&parts))
    }

    /// The constructors of an instance of a data type, with the types of their fields.
    pub(super) fn constructors(&self, ty: &IrType) -> Said<Vec<(Name, Vec<IrType>)>> {
        let IrType::Data(name, types, sizes) = ty else { return Err(format!("a match on {ty}")) };
        let data = self.program.datas.get(name).ok_or_else(|| format!("no type `{name}`"))?;
        let mut res = Vec::new();
        for con in &data.cons {
            if !con.sizes.is_empty() {
                return Err(format!("the sizes in `{}`", con.name));
            }
            let type_at = |it: &Name| {
                let at = data.type_params.iter().position(|own| own == it)?;
                types.get(at).cloned()
            };
            let size_at = |it: Var| {
                let at = data.size_params.iter().position(|own| *own == it)?;
                sizes.get(at).cloned()
            };
            let fields = con.fields.iter().map(|it| it.substitute(&type_at, &size_at));
            res.push((con.name.clone(), fields.collect()));
        }
        Ok(res)
    }

    /// A value of a data type, from what its constructor holds.
    pub(super) fn injection(&self, ty: &IrType, con: &Name, payload: Term) -> Said<Term> {
        let cons = self.constructors(ty)?;
        let types = cons.iter().map(|it| self.known(&IrType::Tuple(it.1.clone()), &mut Vec::new()));
        let types = types.collect::<Said<Vec<Type>>>()?;
        // That the type is not recursive is seen here too.
        self.known(ty, &mut Vec::new())?;
        let at = cons.iter().position(|it| it.0 == *con).ok_or_else(|| format!("no `{con}`"))?;
        let own = match at + 1 == types.len() {
            true => payload,
            false => Term::Inject(Side::Left, sum(&types[at + 1..]), Box::new(payload)),
        };
        let before = types[..at].iter().rev();
        Ok(before.fold(own, |it, ty| Term::Inject(Side::Right, ty.clone(), Box::new(it))))
    }
}

fn known_size(size: &Size) -> Said<Size> {
    match size.vars().contains(&UNKNOWN) {
        true => Err("a size that only running it tells".into()),
        false => Ok(size.clone()),
    }
}

/// `τ1 + (τ2 + τ3)`
fn sum(parts: &[Type]) -> Type {
    match parts {
        [] => Type::Unit,
        [one] => one.clone(),
        [first, rest @ ..] => first.or(&sum(rest)),
    }
}
