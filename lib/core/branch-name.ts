import * as z from 'zod'

/** What no part of a name of a branch has; see git-check-ref-format(1). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them.
const REFUSED = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|(?:^|\/)\.|\.lock(?:\/|$)|^[-/]|[./]$|^@$/

/** The name of a branch as git accepts it, so that a task does not fail of it after its clone. */
export const BranchName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !REFUSED.test(name), 'must be a branch name that git accepts')
