import { rgPath } from '@vscode/ripgrep'
import { Problem } from '../../core/errors.ts'
import type { Commands } from '../../ports/command.ts'
import type { SearchHit, SearchRequest } from '../../ports/workspace.ts'

const flags = [
  '--no-config',
  '--fixed-strings',
  '--hidden',
  '--no-follow',
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

// With --null a hit is `path NUL line : text`, so that no name can be read as a number.
const hitOf = (line: string): SearchHit[] => {
  const [path, rest = ''] = line.split('\0', 2)
  const colon = rest.indexOf(':')
  if (!path || colon < 0) return []
  const text = rest.slice(colon + 1)
  return [{ path: path.replace(/^\.\//, ''), line: Number(rest.slice(0, colon)), text }]
}

/** Searches with ripgrep. `at` is relative to `cwd` and resolved, so that no link is followed. */
export const searchIn = async (
  commands: Commands,
  { at, cwd, home }: { cwd: string; home: string; at: string },
  { query, except, most, signal }: SearchRequest,
): Promise<{ hits: SearchHit[]; truncated: boolean }> => {
  const globs = except.map((glob) => `--iglob=!**/${glob}`)
  const args = [...flags, ...globs, `--regexp=${query}`, '--', at]
  const limits = { timeoutMs: 30_000, maxBytes: 512 * 1_024, signal }
  const result = await commands.run({
    file: rgPath,
    args,
    by: 'service',
    ...{ cwd, home, writes: [], reads: [cwd] },
    ...limits,
  })
  // 0: hits, 1: none, 2: an error, which may concern one file while others had hits.
  if (result.exitCode === 2 && result.stdout === '')
    throw new Problem(
      'invalid',
      'search_failed',
      'The search failed: is it one line of text, and does the path exist?',
    )
  const hits = result.stdout.split('\n').flatMap(hitOf)
  return { hits: hits.slice(0, most), truncated: hits.length > most || result.truncated }
}
