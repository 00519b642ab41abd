//! ZIP archives, as far as `.npz` files need them: members that are stored or deflated.
//!
//! Ours, and not the crate `zip`: that one brings seven more, and reading two hundred bytes of headers
//! is not what takes care here. Care is taken of sizes: nothing is allocated that a header claims, what
//! is inflated has a bound, and every member ends where the directory says. ZIP counts by 32 bits; past
//! that, the fields of its 64-bit extension count (APPNOTE.TXT, Sections 4.3 and 4.5.3).

use std::borrow::Cow;

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Why bytes are no archive that we read. The texts are ends of sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ZipError {
    /// There is no directory at its end.
    NoArchive,
    /// A header says what cannot be.
    Damaged(&'static str),
    /// A way to store a member that NumPy does not use.
    Method(u16),
    /// More bytes than may be read.
    TooLarge(u64),
}

/// A file of an archive.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    pub(crate) name: String,
    /// How many bytes it claims to have.
    pub(crate) size: u64,
    method: u16,
    checksum: u32,
    packed: &'a [u8],
}

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED: u16 = 1;

/// The files of an archive, in the order of its directory.
pub(crate) fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, ZipError> {
    let (start, n) = directory(bytes)?;
    let mut at = Fields { bytes, at: start };
    let mut res = Vec::new();
    for _ in 0..n {
        res.push(member(bytes, &mut at)?);
    }
    Ok(res)
}

const CUT: ZipError = ZipError::Damaged("a header ends early");

/// Where the directory starts, and how many members it has.
fn directory(bytes: &[u8]) -> Result<(usize, u64), ZipError> {
    // A comment of at most 65535 bytes may follow the last 22.
    let first = bytes.len().saturating_sub(22 + usize::from(u16::MAX));
    let last = bytes.len().checked_sub(22).ok_or(ZipError::NoArchive)?;
    let end = (first..=last).rev().find(|at| bytes[*at..].starts_with(b"PK\x05\x06"));
    let end = end.ok_or(ZipError::NoArchive)?;
    let mut fields = Fields { bytes, at: end + 8 };
    let (_, n, _, start) = (fields.u16()?, fields.u16()?, fields.u32()?, fields.u32()?);
    if n != u16::MAX && start != u32::MAX {
        return Ok((start as usize, u64::from(n)));
    }
    let Some(locator) = end.checked_sub(20).filter(|it| bytes[*it..].starts_with(b"PK\x06\x07"))
    else {
        return Ok((start as usize, u64::from(n)));
    };
    let place = Fields { bytes, at: locator + 8 }.u64()?;
    let place = usize::try_from(place).map_err(|_| CUT)?;
    let mut fields = Fields { bytes, at: place };
    if fields.take(4)? != b"PK\x06\x06" {
        return Err(ZipError::Damaged("its end does not say where the directory is"));
    }
    fields.take(28)?;
    let (n, _, start) = (fields.u64()?, fields.u64()?, fields.u64()?);
    Ok((usize::try_from(start).map_err(|_| CUT)?, n))
}

/// A line of the directory, and the bytes that it is about.
fn member<'a>(bytes: &'a [u8], line: &mut Fields<'a>) -> Result<Member<'a>, ZipError> {
    if line.take(4)? != b"PK\x01\x02" {
        return Err(ZipError::Damaged("its directory has fewer lines than it says"));
    }
    line.take(4)?;
    let (flags, method) = (line.u16()?, line.u16()?);
    line.take(4)?;
    let checksum = line.u32()?;
    let (packed, size) = (line.u32()?, line.u32()?);
    let (name, extra, comment) = (line.u16()?, line.u16()?, line.u16()?);
    line.take(8)?;
    let start = line.u32()?;
    let name = String::from_utf8_lossy(line.take(usize::from(name))?).into_owned();
    let mut extra = Fields { bytes: line.take(usize::from(extra))?, at: 0 };
    line.take(usize::from(comment))?;
    if flags & ENCRYPTED != 0 {
        return Err(ZipError::Damaged("it is encrypted"));
    }
    let mut long = extra.long();
    // The extension has only those that do not fit, in this order.
    let size = longer(size, &mut long)?;
    let packed = longer(packed, &mut long)?;
    let start = longer(start, &mut long)?;
    let outside = ZipError::Damaged("a member lies outside of the file");
    let mut head = Fields { bytes, at: usize::try_from(start).map_err(|_| outside.clone())? };
    if head.take(4)? != b"PK\x03\x04" {
        return Err(ZipError::Damaged("a member is not where the directory says"));
    }
    head.take(22)?;
    let (own_name, own_extra) = (head.u16()?, head.u16()?);
    head.take(usize::from(own_name))?;
    head.take(usize::from(own_extra))?;
    let packed = usize::try_from(packed).map_err(|_| outside.clone())?;
    let packed = head.take(packed).map_err(|_| outside)?;
    Ok(Member { name, size, method, checksum, packed })
}

/// A number, or that of the extension if it does not fit.
fn longer(short: u32, long: &mut Fields<'_>) -> Result<u64, ZipError> {
    if short == u32::MAX { long.u64() } else { Ok(u64::from(short)) }
}

impl<'a> Member<'a> {
    /// What the file holds, if that is at most so many bytes.
    pub(crate) fn content(&self, most: u64) -> Result<Cow<'a, [u8]>, ZipError> {
        if self.size > most {
            return Err(ZipError::TooLarge(self.size));
        }
        let size = usize::try_from(self.size).map_err(|_| ZipError::TooLarge(self.size))?;
        let res = match self.method {
            STORED => Cow::Borrowed(self.packed),
            DEFLATED => {
                let inflated = decompress_to_vec_with_limit(self.packed, size);
                let wrong = ZipError::Damaged("a member does not inflate to what it claims");
                Cow::Owned(inflated.map_err(|_| wrong)?)
            }
            method => return Err(ZipError::Method(method)),
        };
        if res.len() != size {
            return Err(ZipError::Damaged("a member has another size than it claims"));
        }
        if checksum(&res) != self.checksum {
            return Err(ZipError::Damaged("the checksum of a member is wrong"));
        }
        Ok(res)
    }
}

/// Numbers one after the other.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], ZipError> {
        let end = self.at.checked_add(n).ok_or(CUT)?;
        let res = self.bytes.get(self.at..end).ok_or(CUT)?;
        self.at = end;
        Ok(res)
    }

    fn number(&mut self, n: usize) -> Result<u64, ZipError> {
        let bytes = self.take(n)?;
        Ok(bytes.iter().rev().fold(0, |number, it| (number << 8) | u64::from(*it)))
    }

    fn u16(&mut self) -> Result<u16, ZipError> {
        self.number(2).map(|it| it as u16)
    }

    fn u32(&mut self) -> Result<u32, ZipError> {
        self.number(4).map(|it| it as u32)
    }

    fn u64(&mut self) -> Result<u64, ZipError> {
        self.number(8)
    }

    /// The numbers of the 64-bit extension, if it is among these fields.
    fn long(&mut self) -> Fields<'a> {
        while let (Ok(kind), Ok(size)) = (self.u16(), self.u16()) {
            match self.take(usize::from(size)) {
                Ok(bytes) if kind == 1 => return Fields { bytes, at: 0 },
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Fields { bytes: &[], at: 0 }
    }
}

/// An archive of stored files.
pub fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut res, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let (start, sum) = (res.len() as u64, checksum(content));
        let size = content.len() as u64;
        res.extend(b"PK\x03\x04");
        res.extend(common(name, sum, size, if is_long(size) { 20 } else { 0 }));
        res.extend(name.as_bytes());
        if is_long(size) {
            res.extend(long(&[size, size]));
        }
        res.extend(content);
        let mut more = Vec::new();
        if is_long(size) {
            more.extend([size, size]);
        }
        if is_long(start) {
            more.push(start);
        }
        let more = if more.is_empty() { Vec::new() } else { long(&more) };
        directory.extend(b"PK\x01\x02\x2d\x00");
        directory.extend(common(name, sum, size, more.len() as u16));
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(short(start).to_le_bytes());
        directory.extend(name.as_bytes());
        directory.extend(more);
    }
    let (start, size, n) = (res.len() as u64, directory.len() as u64, files.len() as u64);
    res.extend(directory);
    let many = n >= u64::from(u16::MAX);
    if is_long(start) || many {
        let end = res.len() as u64;
        res.extend(b"PK\x06\x06");
        res.extend(44u64.to_le_bytes());
        res.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        [n, n, size, start].iter().for_each(|it| res.extend(it.to_le_bytes()));
        res.extend(b"PK\x06\x07\x00\x00\x00\x00");
        res.extend(end.to_le_bytes());
        res.extend(1u32.to_le_bytes());
    }
    let n = if many { u16::MAX } else { n as u16 };
    res.extend(b"PK\x05\x06\x00\x00\x00\x00");
    [n, n].iter().for_each(|it| res.extend(it.to_le_bytes()));
    res.extend(short(size).to_le_bytes());
    res.extend(short(start).to_le_bytes());
    res.extend([0, 0]);
    res
}

/// What the head of a file and its line of the directory have in common, from the version on.
fn common(name: &str, sum: u32, size: u64, more: u16) -> Vec<u8> {
    // Version 4.5, names in UTF-8, stored, the first day that ZIP knows, so that equal data is an equal file.
    let mut res = vec![45, 0, 0, 8, 0, 0, 0, 0, 0x21, 0];
    [sum, short(size), short(size)].iter().for_each(|it| res.extend(it.to_le_bytes()));
    [name.len() as u16, more].iter().for_each(|it| res.extend(it.to_le_bytes()));
    res
}

fn is_long(it: u64) -> bool {
    it >= u64::from(u32::MAX)
}

fn short(it: u64) -> u32 {
    u32::try_from(it).unwrap_or(u32::MAX)
}

/// The field of numbers of 64 bits.
fn long(numbers: &[u64]) -> Vec<u8> {
    let mut res = vec![1, 0];
    res.extend((8 * numbers.len() as u16).to_le_bytes());
    numbers.iter().for_each(|it| res.extend(it.to_le_bytes()));
    res
}

/// CRC-32, as ZIP wants it.
fn checksum(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256).map(|it| (0..8).fold(it, |it, _| step(it))).collect();
    let next = |sum: u32, it: &u8| table[usize::from(sum as u8 ^ it)] ^ (sum >> 8);
    !bytes.iter().fold(u32::MAX, next)
}

fn step(it: u32) -> u32 {
    if it & 1 == 1 { (it >> 1) ^ 0xedb8_8320 } else { it >> 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the catalogue of CRC algorithms.
    #[test]
    fn the_checksum_is_that_of_zip() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }
}
