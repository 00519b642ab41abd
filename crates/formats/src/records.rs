//! The records of a CSV text, one by one.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// A row, quotes resolved.
pub(crate) struct Record {
    /// The byte of the text where it begins, or line ends before it do.
    pub(crate) start: usize,
    text: Vec<u8>,
    /// Where each of its fields ends.
    pub(crate) fields: Vec<usize>,
}

impl Record {
    pub(crate) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.fields);
        starts.zip(&self.fields).map(|(start, end)| &self.text[*start..*end])
    }
}

/// All rows; lines without anything are none.
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    reader: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl<'a> Records<'a> {
    /// Fields are separated by this byte.
    pub(crate) fn new(bytes: &'a [u8], separator: u8) -> Records<'a> {
        let reader = ReaderBuilder::new().delimiter(separator).build();
        Records { bytes, at: 0, reader, text: vec![0; 1024], ends: vec![0; 64] }
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let (start, mut n_text, mut n_ends) = (self.at, 0, 0);
        loop {
            // At the end of the text the reader is given nothing, and ends the last record.
            let (result, read, written, ended) = self.reader.read_record(
                &self.bytes[self.at..],
                &mut self.text[n_text..],
                &mut self.ends[n_ends..],
            );
            self.at += read;
            n_text += written;
            n_ends += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.text.resize(2 * self.text.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    let (text, fields) =
                        (self.text[..n_text].to_vec(), self.ends[..n_ends].to_vec());
                    return Some(Record { start, text, fields });
                }
                ReadRecordResult::End => return None,
            }
        }
    }
}
