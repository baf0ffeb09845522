/** Code points that HFS+ ignores in names (git's utf8.c, `next_hfs_char`). */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** `.git` and the short names that NTFS gives it, with all that NTFS drops at the end: spaces, dots and a stream. */
const GIT = /^\s*(?:\.git|git~\d+)[\s.]*(?::.*)?$/is

/** Whether a file system could take a path segment for `.git`. Git refuses these too (`core.protectNTFS`). */
export const isGitName = (segment: string): boolean => GIT.test(segment.replace(IGNORED_BY_HFS, ''))
