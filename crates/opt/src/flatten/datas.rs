//! Sum types without tuples in their fields, and the types of leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{Mark, Name};
use ir::{ConDecl, DataDecl, Def, Program, Size, Type, Var};

use super::Layout;
use crate::limits::{MAX_WEIGHT, type_weight};
use crate::refusal::{Reason, Refusal};

/// Sum types that may be declared anew.
const MAX_DATAS: usize = 1000;

/// The original constructor of each that is declared anew, and how its fields were flattened.
type Constructors = BTreeMap<Name, (Name, Vec<Layout>)>;

/// What becomes of the program as a whole.
pub(super) struct Datas<'p> {
    pub(super) source: &'p Program,
    /// Sum types, old and new, and the signatures of definitions.
    pub(super) output: Program,
    pub(super) bodies: BTreeMap<Name, Arc<Def>>,
    /// The new name of a sum type for type arguments; the sizes in these are numbered.
    known: BTreeMap<(Name, Vec<Type>), Name>,
    constructors: Constructors,
}

impl<'p> Datas<'p> {
    pub(super) fn new(source: &'p Program) -> Datas<'p> {
        Datas {
            source,
            output: Program { datas: source.datas.clone(), ..Program::default() },
            bodies: BTreeMap::new(),
            known: BTreeMap::new(),
            constructors: BTreeMap::new(),
        }
    }

    /// The program; sum types that had tuples are gone.
    pub(super) fn finish(mut self) -> (Program, Constructors) {
        let source = self.source;
        let keep = |name: &Name, decl: &DataDecl| {
            let fields = decl.cons.iter().flat_map(|it| &it.fields);
            !source.datas.contains_key(name)
                || decl.type_params.is_empty()
                    && !fields.into_iter().any(|it| is_structured(source, it, &mut BTreeSet::new()))
        };
        self.output.datas.retain(|name, decl| keep(name, decl));
        (
            Program {
                datas: self.output.datas,
                defs: self.bodies,
                customs: source.customs.clone(),
            },
            self.constructors,
        )
    }

    /// The types of the leaves.
    pub(super) fn leaf_types(&mut self, ty: &Type) -> Result<Vec<Type>, Refusal> {
        match ty {
            Type::Tuple(parts) if !parts.is_empty() => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|it| self.leaf_types(it)).collect();
                Ok(parts?.concat())
            }
            Type::Array(size, elem) => {
                let elems = self.leaf_types(elem)?.into_iter();
                Ok(elems.map(|it| Type::array(size.clone(), it)).collect())
            }
            Type::Data(name, types, sizes)
                if is_structured(self.source, ty, &mut BTreeSet::new()) =>
            {
                let mut all = Vec::new();
                let types: Vec<Type> = types.iter().map(|it| numbered(it, &mut all)).collect();
                let name = self.instance(name, types, all.len())?;
                all.extend(sizes.iter().cloned());
                Ok(vec![Type::Data(name, Vec::new(), all)])
            }
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => {
                Ok(vec![ty.clone()])
            }
            Type::Function(..) | Type::Var(_) | Type::Data(..) => Ok(vec![ty.clone()]),
            Type::Dual(_) | Type::Delta | Type::Tape(_) => Ok(vec![ty.clone()]),
        }
    }

    /// The sum type for these type arguments, which mention so many sizes.
    fn instance(&mut self, name: &Name, types: Vec<Type>, count: usize) -> Result<Name, Refusal> {
        let key = (name.clone(), types);
        if let Some(name) = self.known.get(&key) {
            return Ok(name.clone());
        }
        if key.1.iter().any(|it| type_weight(it) > MAX_WEIGHT) {
            return Err(Refusal { span: None, reason: Reason::TooDeep });
        }
        if self.known.len() >= MAX_DATAS {
            return Err(Refusal { span: None, reason: Reason::TooManyInstances });
        }
        let new = self.fresh(name, |datas, it| datas.output.datas.contains_key(it));
        self.known.insert(key.clone(), new.clone());
        let decl = &self.source.datas[name];
        let size_params = (0..(count + decl.size_params.len()) as u32).map(Var).collect();
        let empty = DataDecl { name: new.clone(), type_params: vec![], size_params, cons: vec![] };
        self.output.datas.insert(new.clone(), empty);
        let type_of =
            |it: &Name| Some(key.1[decl.type_params.iter().position(|param| param == it)?].clone());
        let size_of = |it: Var| {
            let at = decl.size_params.iter().position(|param| *param == it)?;
            Some(Size::var(Var((count + at) as u32)))
        };
        for con in &decl.cons {
            let fields: Vec<Type> =
                con.fields.iter().map(|it| it.substitute(&type_of, &size_of)).collect();
            let name = self.fresh(&con.name, Datas::is_constructor);
            let layouts = fields.iter().map(Layout::of).collect();
            self.constructors.insert(name.clone(), (con.name.clone(), layouts));
            let fields: Result<Vec<_>, _> = fields.iter().map(|it| self.leaf_types(it)).collect();
            let con = ConDecl { name, sizes: con.sizes.clone(), fields: fields?.concat() };
            self.output.datas.get_mut(&new).expect("declared above").cons.push(con);
        }
        Ok(new)
    }

    fn is_constructor(&self, name: &Name) -> bool {
        let mut cons = self.source.datas.values().flat_map(|it| &it.cons);
        self.constructors.contains_key(name) || cons.any(|it| it.name == *name)
    }

    fn fresh(&self, base: &Name, is_taken: impl Fn(&Self, &Name) -> bool) -> Name {
        let mut names = (1..).map(|number| base.with(Mark::Instance(number)));
        names.find(|it| !is_taken(self, it)).expect("numbers do not end")
    }

    /// A sum type of the input after it was flattened, and the new names of constructors.
    pub(super) fn constructor(&mut self, ty: &Type, con: &Name) -> Result<(Type, Name), Refusal> {
        let flat = self.leaf_types(ty)?.remove(0);
        let (Type::Data(old, ..), Type::Data(new, ..)) = (ty, &flat) else {
            return Ok((flat, con.clone()));
        };
        let at = self.source.datas[old].cons.iter().position(|it| it.name == *con);
        let name =
            at.map_or_else(|| con.clone(), |at| self.output.datas[new].cons[at].name.clone());
        Ok((flat, name))
    }
}

/// The type with its sizes numbered; the sizes are added to the list.
fn numbered(ty: &Type, sizes: &mut Vec<Size>) -> Type {
    let mut number = |size: &Size| {
        sizes.push(size.clone());
        Size::var(Var(sizes.len() as u32 - 1))
    };
    let own: Vec<Size> = ty.sizes().into_iter().map(&mut number).collect();
    let parts = ty.parts().into_iter().map(|it| numbered(it, sizes)).collect();
    ty.with(own, parts)
}

/// Whether a tuple or a type argument occurs in the type, also in the fields of sum types.
fn is_structured(program: &Program, ty: &Type, seen: &mut BTreeSet<Name>) -> bool {
    let inside = match ty {
        Type::Tuple(parts) => !parts.is_empty(),
        Type::Data(_, types, _) if !types.is_empty() => true,
        Type::Data(name, ..) if seen.insert(name.clone()) => {
            let cons = program.datas.get(name).into_iter().flat_map(|it| &it.cons);
            let mut fields = cons.flat_map(|it| &it.fields);
            fields.any(|it| is_structured(program, it, seen))
        }
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Array(..) => false,
        Type::Function(..) | Type::Var(_) | Type::Data(..) => false,
        Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
    };
    inside || ty.parts().into_iter().any(|it| is_structured(program, it, seen))
}
