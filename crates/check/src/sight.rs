//! What a module has in sight: names of the prelude, of itself, and of what it imports.
//!
//! A name is looked up as it is written, with its module in front or without: `linalg.solve` and `solve` are
//! two keys of the same table. So nobody takes a name apart, and inference does not know of modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Mark, Name, Span};
use modules::Import;
use syntax::ast;

use crate::declare::TypeTable;
use crate::error::{Error, ModuleError, nearest};
use crate::infer::Globals;

/// What kind of thing a name stands for. Types and constructors have names of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Value,
    Type,
    Constructor,
}

/// What a module declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exports {
    /// What messages call the module.
    pub name: String,
    values: BTreeMap<Name, Export>,
    types: BTreeMap<Name, Export>,
    constructors: BTreeMap<Name, Export>,
    /// The constructors of each type.
    of: BTreeMap<Name, Vec<Name>>,
}

#[derive(Clone, Debug)]
struct Export {
    in_program: Name,
    is_public: bool,
    span: Span,
}

/// The modules that the module at hand can name.
pub(crate) type Qualifiers = BTreeMap<Name, Arc<Exports>>;

/// Names of types and constructors that a module has in sight.
#[derive(Clone)]
pub(crate) struct InSight {
    names: BTreeMap<Name, Name>,
    con_names: BTreeMap<Name, Name>,
    qualifiers: Qualifiers,
}

impl TypeTable {
    /// What the module has in sight that is being inferred.
    pub(crate) fn in_sight(&self) -> InSight {
        let TypeTable { names, con_names, qualifiers, .. } = self;
        InSight {
            names: names.clone(),
            con_names: con_names.clone(),
            qualifiers: qualifiers.clone(),
        }
    }

    /// Has other names in sight; gives those from before.
    pub(crate) fn see(&mut self, it: InSight) -> InSight {
        InSight {
            names: std::mem::replace(&mut self.names, it.names),
            con_names: std::mem::replace(&mut self.con_names, it.con_names),
            qualifiers: std::mem::replace(&mut self.qualifiers, it.qualifiers),
        }
    }
}

/// The name in the program of something that a module declares; nothing is added to names of the program
/// itself.
pub(crate) fn in_program(name: &Name, label: Option<&str>) -> Name {
    match label {
        Some(label) => name.with(Mark::Module(label.to_owned())),
        None => name.clone(),
    }
}

/// What a name that may have its module in front of it is called there.
pub(crate) fn last_part(name: &Name) -> &str {
    match name.made_of() {
        Some((_, Mark::Part(part))) => part,
        Some(_) | None => name,
    }
}

impl Exports {
    /// What a module declares, once its types are entered.
    pub(crate) fn of(name: &str, module: &ast::Module, label: Option<&str>) -> Exports {
        let mut res = Exports { name: name.to_owned(), ..Exports::default() };
        for item in &module.items {
            let export = |ident: &ast::Ident, is_public: bool| Export {
                in_program: in_program(&ident.name, label),
                is_public,
                span: ident.span,
            };
            match item {
                ast::Item::Def(it) => {
                    let new = export(&it.name, it.is_public);
                    res.values.entry(it.name.name.clone()).or_insert(new);
                }
                ast::Item::Type(it) => {
                    let new = export(&it.name, it.is_public);
                    res.types.entry(it.name.name.clone()).or_insert(new);
                }
                ast::Item::Data(it) => {
                    let new = export(&it.name, it.is_public);
                    res.types.entry(it.name.name.clone()).or_insert(new);
                    for con in &it.cons {
                        let new = export(&con.name, it.is_public);
                        res.constructors.insert(con.name.name.clone(), new);
                        let of = res.of.entry(it.name.name.clone()).or_default();
                        of.push(con.name.name.clone());
                    }
                }
                ast::Item::Import(_)
                | ast::Item::Test(_)
                | ast::Item::Bench(_)
                | ast::Item::Plot(_) => {}
            }
        }
        res
    }

    fn space(&self, space: Space) -> &BTreeMap<Name, Export> {
        match space {
            Space::Value => &self.values,
            Space::Type => &self.types,
            Space::Constructor => &self.constructors,
        }
    }

    fn get(&self, space: Space, name: &Name) -> Option<&Export> {
        self.space(space).get(name)
    }

    fn public(&self, space: Space) -> impl Iterator<Item = (&Name, &Export)> {
        self.space(space).iter().filter(|it| it.1.is_public)
    }

    /// A name that cannot be used: it is private, or there is none.
    fn refuse(&self, name: &Name, spaces: &[Space], span: Span) -> ModuleError {
        if let Some(export) = spaces.iter().find_map(|it| self.get(*it, name)) {
            return ModuleError::Private {
                name: name.clone(),
                module: self.name.clone(),
                span,
                declared: export.span,
            };
        }
        let known = spaces.iter().flat_map(|it| self.public(*it)).map(|it| it.0.as_str());
        let nearest = nearest(name, known);
        ModuleError::Unknown { name: name.clone(), module: self.name.clone(), span, nearest }
    }
}

/// Why a name with its module in front of it means nothing; none if there is no module in front.
pub(crate) fn refusal(
    qualifiers: &Qualifiers,
    name: &Name,
    space: Space,
    span: Span,
) -> Option<ModuleError> {
    let Some((qualifier, Mark::Part(part))) = name.made_of() else { return None };
    Some(match qualifiers.get(qualifier) {
        Some(exports) => exports.refuse(&Name::new(part), &[space], span),
        None => {
            let nearest = nearest(qualifier, qualifiers.keys().map(|it| it.as_str()));
            ModuleError::NotImported { qualifier: qualifier.clone(), span, nearest }
        }
    })
}

/// Puts into sight what a module imports. What the prelude has under the same names is hidden.
pub(crate) struct Importer<'a> {
    pub(crate) table: &'a mut TypeTable,
    pub(crate) globals: &'a mut Globals,
    pub(crate) errors: &'a mut Vec<Error>,
    /// The module's own declarations, which imported names must not be called like.
    own: Exports,
    /// Where names come from that are in sight by an import.
    seen: BTreeMap<(u8, Name), (Name, Span)>,
}

impl<'a> Importer<'a> {
    pub(crate) fn new(
        table: &'a mut TypeTable,
        globals: &'a mut Globals,
        errors: &'a mut Vec<Error>,
        module: &ast::Module,
    ) -> Importer<'a> {
        let own = Exports::of("", module, None);
        Importer { table, globals, errors, own, seen: BTreeMap::new() }
    }

    /// One import of a module that declares this.
    pub(crate) fn import(&mut self, import: &Import, exports: &Arc<Exports>) {
        if let Some(qualifier) = &import.qualifier {
            self.qualify(qualifier, exports);
        }
        for selected in &import.selected {
            self.select(selected, exports);
        }
    }

    fn qualify(&mut self, qualifier: &ast::Ident, exports: &Arc<Exports>) {
        let ast::Ident { name, span } = qualifier;
        let before = self.table.qualifiers.get(name);
        let is_other = before.is_some_and(|it| !Arc::ptr_eq(it, exports));
        if let Some(own) = self.own.values.get(name) {
            self.ambiguous(name, *span, own.span, None);
        } else if is_other {
            let first = self.seen.get(&(3, name.clone())).map_or(*span, |it| it.1);
            self.ambiguous(name, *span, first, None);
        }
        self.seen.entry((3, name.clone())).or_insert_with(|| (name.clone(), *span));
        self.table.qualifiers.insert(name.clone(), exports.clone());
        for space in [Space::Value, Space::Type, Space::Constructor] {
            for (part, export) in exports.public(space) {
                self.insert(space, name.part(part), export.in_program.clone());
            }
        }
    }

    fn insert(&mut self, space: Space, name: Name, in_program: Name) {
        match space {
            Space::Value => self.globals.insert(name, in_program),
            Space::Type => self.table.names.insert(name, in_program),
            Space::Constructor => self.table.con_names.insert(name, in_program),
        };
    }

    fn select(&mut self, selected: &ast::Selected, exports: &Exports) {
        let name = &selected.name;
        let is_upper = name.name.starts_with(char::is_uppercase);
        let spaces: &[Space] =
            if is_upper { &[Space::Type, Space::Constructor] } else { &[Space::Value] };
        let mut is_found = false;
        for space in spaces {
            if let Some(export) = exports.get(*space, &name.name).filter(|it| it.is_public) {
                is_found = true;
                let in_program = export.in_program.clone();
                self.enter(*space, selected.here(), in_program, None);
            }
        }
        if !is_found {
            self.errors.push(exports.refuse(&name.name, spaces, name.span).into());
            // One error is enough for what is there and private.
            for space in spaces {
                if let Some(export) = exports.get(*space, &name.name) {
                    let here = selected.here().name.clone();
                    self.insert(*space, here, export.in_program.clone());
                }
            }
            return;
        }
        // A sum type is of no use without its constructors.
        for con in exports.of.get(&name.name).into_iter().flatten() {
            if let Some(export) = exports.get(Space::Constructor, con) {
                let here = ast::Ident { name: con.clone(), span: selected.here().span };
                let in_program = export.in_program.clone();
                self.enter(Space::Constructor, &here, in_program, Some(&name.name));
            }
        }
    }

    fn enter(
        &mut self,
        space: Space,
        here: &ast::Ident,
        in_program: Name,
        brought_by: Option<&Name>,
    ) {
        let ast::Ident { name, span } = here;
        let key = (space as u8, name.clone());
        if let Some(own) = self.own.get(space, name) {
            self.ambiguous(name, *span, own.span, brought_by);
        } else if let Some((other, first)) = self.seen.get(&key)
            && *other != in_program
        {
            self.ambiguous(name, *span, *first, brought_by);
        }
        self.seen.insert(key, (in_program.clone(), *span));
        self.insert(space, name.clone(), in_program);
    }

    fn ambiguous(&mut self, name: &Name, second: Span, first: Span, brought_by: Option<&Name>) {
        let (name, brought_by) = (name.clone(), brought_by.cloned());
        self.errors.push(ModuleError::Ambiguous { name, second, first, brought_by }.into());
    }
}
