import { rgPath } from '@vscode/ripgrep'
import { Problem } from '../../core/errors.ts'
import type { SearchHit, SearchRequest } from '../../ports/workspace.ts'
import type { Commands } from './command.ts'

const flags = [
  '--no-config',
  '--fixed-strings',
  '--hidden',
  '--no-follow',
  // The settings of a home, and of a git folder elsewhere.
  '--no-ignore-global',
  '--no-ignore-exclude',
  '--color=never',
  '--no-heading',
  '--with-filename',
  '--line-number',
  '--null',
  '--sort=path',
  '--threads=2',
  '--max-filesize=1M',
  '--max-columns=300',
  '--max-columns-preview',
  '--iglob=!**/.git',
]

// With --null a hit is `path NUL line : text`, so that no name can be read as a number, or as the end of a line.
const HIT = /([^\0]+)\0(\d+):(.*)(?:\n|$)/g

const hitsIn = (output: string): SearchHit[] =>
  [...output.matchAll(HIT)].map(([, path = '', line, text = '']) => ({
    path: path.replace(/^\.\//, ''),
    line: Number(line),
    text,
  }))

/** Searches with ripgrep. `at` is relative to `cwd` and resolved, so that no link is followed. */
export const searchIn = async (
  commands: Pick<Commands, 'run'>,
  { at, cwd, home }: { cwd: string; home: string; at: string },
  { query, except, most, signal }: SearchRequest,
): Promise<{ hits: SearchHit[]; truncated: boolean }> => {
  if (query.includes('\n')) throw new Problem('invalid', 'search_failed', 'Search for a text of one line.')
  const globs = except.map((glob) => `--iglob=!**/${glob}`)
  const args = [...flags, ...globs, `--regexp=${query}`, '--', at]
  const limits = { timeoutMs: 30_000, maxBytes: 512 * 1_024, signal }
  const result = await commands.run({
    file: rgPath,
    args,
    by: 'service',
    cwd,
    home,
    writes: [],
    reads: [cwd],
    ...limits,
  })
  // 0: hits, 1: none, 2: a file could not be read, while others may have hits.
  if (![0, 1, 2].includes(result.exitCode ?? -1))
    throw new Problem(
      'unavailable',
      'search_failed',
      'The search was stopped before its end: search in one folder.',
    )
  const hits = hitsIn(result.stdout)
  return { hits: hits.slice(0, most), truncated: hits.length > most || result.truncated }
}
