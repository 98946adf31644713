isl and IMath, which are in programs that link the crate spyre-isl, are under the MIT license.

isl
Copyright 2005-2007 Universiteit Leiden
Copyright 2008-2009 Katholieke Universiteit Leuven
Copyright 2010-2011 INRIA Saclay
Copyright 2012-2014 Ecole Normale Superieure
Copyright 2014-2015 INRIA Rocquencourt
Copyright 2016 INRIA Paris
Copyright 2006-2018 Sven Verdoolaege

IMath
Copyright 2002-2009 Michael J. Fromberger

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
