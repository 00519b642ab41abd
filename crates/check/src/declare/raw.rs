//! Declarations of types as written, both kinds seen alike.

use syntax::ast;

/// A declaration of either kind, seen alike.
pub(crate) struct Raw<'a> {
    /// Its name.
    pub name: &'a ast::Ident,
    /// Its parameters.
    pub params: &'a [ast::Ident],
    /// Every type on its right side.
    pub parts: Vec<&'a ast::Type>,
    /// The declaration itself.
    pub item: &'a ast::Item,
}

pub(crate) fn raw_decls(module: &ast::Module) -> Vec<Raw<'_>> {
    module
        .items
        .iter()
        .filter_map(|item| match item {
            ast::Item::Type(decl) => {
                let parts = match &decl.body {
                    ast::TypeBody::Record(fields) => fields.iter().map(|(_, ty)| ty).collect(),
                    ast::TypeBody::Alias(ty) => vec![ty],
                };
                Some(Raw { name: &decl.name, params: &decl.params, parts, item })
            }
            ast::Item::Data(data) => {
                let parts = data.cons.iter().flat_map(|it| &it.fields).collect();
                Some(Raw { name: &data.name, params: &data.params, parts, item })
            }
            ast::Item::Import(_)
            | ast::Item::Def(_)
            | ast::Item::Test(_)
            | ast::Item::Bench(_)
            | ast::Item::Plot(_) => None,
        })
        .collect()
}

pub(crate) fn con_idents(item: &ast::Item) -> Vec<&ast::Ident> {
    match item {
        ast::Item::Data(data) => data.cons.iter().map(|it| &it.name).collect(),
        ast::Item::Import(_)
        | ast::Item::Def(_)
        | ast::Item::Type(_)
        | ast::Item::Test(_)
        | ast::Item::Bench(_)
        | ast::Item::Plot(_) => Vec::new(),
    }
}
