//! `--plot FILE`: draws what a program plots, or a value, as SVG or in the terminal.

use std::path::PathBuf;

use cotan::{Answer, Compiled, Figure, Report};

use crate::files;
use crate::output::Output;

/// Where a picture goes.
#[derive(Clone, Debug)]
pub(crate) enum Picture {
    /// To people, as characters.
    Terminal,
    /// To a file.
    Svg(PathBuf),
}

/// Reads the path for clap.
pub(crate) fn picture(text: &str) -> Result<Picture, String> {
    if text == "-" {
        return Ok(Picture::Terminal);
    }
    let path = PathBuf::from(text);
    match path.extension().is_some_and(|it| it.eq_ignore_ascii_case("svg")) {
        true => Ok(Picture::Svg(path)),
        false => Err("write a name that ends in .svg, or - for the terminal".to_string()),
    }
}

impl Picture {
    /// Draws the plots of a program; gives the value of `main` if that was computed with them.
    pub(crate) fn draw_plots(
        &self,
        program: &mut Compiled,
        output: &Output,
    ) -> Result<Option<Answer>, Report> {
        let (figures, main) = program.plots_and_main()?;
        self.draw(&figures, output)?;
        Ok(main)
    }

    /// Draws a value as its type suggests.
    pub(crate) fn draw_answer(
        &self,
        answer: &Answer,
        title: &str,
        output: &Output,
    ) -> Result<(), Report> {
        self.draw(&[answer.figure(title)?], output)
    }

    fn draw(&self, figures: &[Figure], output: &Output) -> Result<(), Report> {
        match self {
            Picture::Terminal => {
                figures.iter().for_each(|it| output.note(&cotan::figure_text(it)));
                Ok(())
            }
            Picture::Svg(path) => {
                files::replace_bytes(path, cotan::figures_svg(figures).as_bytes())
            }
        }
    }
}
