//! Inputs that once broke something, or that look as if they could; and a short random walk.
mod stability;

use conll::Format;
use stability::check;

const INPUTS: &[&[u8]] = &[
    b"",
    b"\n",
    b"\r\n\r\n",
    b"\r",
    b" ",
    b"\t",
    b"#",
    b"# \n\n",
    b"1",
    b"1\n\n",
    b"\xef\xbb\xbf",
    b"\xef\xbb",
    b"\xff\xfe1\x00",
    b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd",
    b"\xfd7zXZ\x00",
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
    b"1\tf\t_\t_\t_\t_\t0\t_\t_\t_",
    b"1\tf\t_\t_\t_\t_\t0\t_\t_\t_\r",
    b"1\tf\t_\t_\t_\t_\t0\t_\t_\t_\r\r\n\r\n",
    b"1\tf\t_\t_\t_\t_\t0\t_\t_\t_\n \n1\tf\t_\t_\t_\t_\t0\t_\t_\t_\n\r\n\n",
    b"1\tf\t_\t_\t_\t_\t4294967295\t_\t_\t_\n\n",
    b"999999999\tf\t_\t_\t_\t_\t999999999\t_\t_\t_\n\n",
    b"1-999999999\tf\t_\t_\t_\t_\t_\t_\t_\t_\n1\tf\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
    b"1\t\xc2\x85\t\xe2\x80\xa8\t_\t_\t_\t0\t_\t_\t_\n\n",
    b"# global.columns =\n\n",
    b"# global.columns = \t\n\n",
    b"# global.columns = FORM\n#\n\n",
    b"# global.columns = FORM\n# a\na\n\n# global.columns = ID\nb\n\n",
    b"# global.columns = FORM\tUPOS\na\tX\n\n",
    b"# global.columns = FORM ID\na\tb\n\n",
    b"# global.columns = ID ID HEAD HEAD\n1\t1\t0\tx\n\n",
    b"# global.columns = HEAD\n2\n0\n\n",
    b"# global.columns = ID FORM\nbad\n\n# global.columns = FORM ID\n1\ta\n\n",
    b"1\ta\ta\ta\ta\ta\ta\ta\t0\ta\ta\ta\tY\ta\tA\tB\tC\n\n",
];

#[test]
fn odd_inputs_are_stable() {
    for input in INPUTS {
        check(input, None);
        for format in Format::ALL {
            check(input, Some(format));
        }
    }
}
