//! Formers that bind names.

use base::Name;

use super::super::term::{Loop, MapDerivative, MapTransposed, Steps, Term};
use super::{Read, Reader};

impl Reader<'_> {
    pub(super) fn binding_former(&mut self, word: &Name) -> Read<Term> {
        let res = match word.as_str() {
            "case" => {
                self.expect("(")?;
                let t = self.part()?;
                self.expect(";")?;
                let (x, s) = self.bound()?;
                self.expect(";")?;
                let (y, r) = self.bound()?;
                Term::Case(t, x, s, y, r)
            }
            "build" => {
                self.expect("[")?;
                let size = self.size()?;
                self.expect("(")?;
                let (i, t) = self.bound()?;
                Term::Build(size, i, t)
            }
            "map" => {
                self.expect("(")?;
                let (x, t) = self.bound()?;
                self.expect(";")?;
                Term::Map(x, t, self.part()?)
            }
            "each" => {
                let ty = self.ty_in_brackets()?;
                self.expect("(")?;
                let t = self.part()?;
                self.expect(";")?;
                let x = self.name()?;
                let (v, s) = self.bound()?;
                Term::CopowerCase(ty, t, x, v, s)
            }
            "iterate" | "while" => {
                self.expect("(")?;
                let steps = match word.as_str() {
                    "iterate" => Steps::Count(self.term()?),
                    _ => {
                        let (s, holds) = self.bound()?;
                        Steps::While(s, *holds)
                    }
                };
                self.expect(";")?;
                let state = self.name()?;
                let (index, body) = self.bound()?;
                self.expect(";")?;
                let (body, init) = (*body, self.term()?);
                Term::Loop(Box::new(Loop { steps, state, index, body, init }))
            }
            "Dmap" => {
                self.expect("(")?;
                let element = self.name()?;
                let (tangent, body) = self.bound()?;
                let [over, outer, along] = self.parts([";", ";", ";"])?.map(|it| *it);
                let body = *body;
                let it = MapDerivative { element, tangent, body, over, outer, along };
                return Ok(Term::MapDerivative(Box::new(it)));
            }
            _ => {
                let space = self.ty_in_brackets()?;
                self.expect("(")?;
                let element = self.name()?;
                let (cotangent, body) = self.bound()?;
                self.expect(";")?;
                let over = self.term()?;
                self.expect(";")?;
                let along = self.term()?;
                self.expect(";")?;
                let (array, rest) = self.bound()?;
                let (body, rest) = (*body, *rest);
                let it =
                    MapTransposed { space, element, cotangent, body, over, along, array, rest };
                Term::MapTransposed(Box::new(it))
            }
        };
        self.expect(")")?;
        Ok(res)
    }
}
