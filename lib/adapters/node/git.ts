import { dirname } from 'node:path'
import type { Commands } from '../../ports/command.ts'
import type { Git } from '../../ports/git.ts'

const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.pager': 'cat',
  'color.ui': 'false',
  'credential.helper': '',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'log.showSignature': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  'init.defaultBranch': 'main',
  'advice.detachedHead': 'false',
}

const settingArgs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

const author = { name: 'agent', email: 'agent@localhost' }

const environment = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_AUTHOR_NAME: author.name,
  GIT_AUTHOR_EMAIL: author.email,
  GIT_COMMITTER_NAME: author.name,
  GIT_COMMITTER_EMAIL: author.email,
}

/** Git as child processes of `commands`. */
export const createGit = ({ commands }: { commands: Commands }): Git => ({
  run({ cwd, home, args, transports = [], indexFile, timeoutMs = 60_000, maxBytes = 64 * 1_024, signal }) {
    const env = {
      ...environment,
      // A workspace whose .git is gone must not make git act on a repository that its folder happens to lie in.
      GIT_CEILING_DIRECTORIES: dirname(cwd),
      // An empty list would mean the defaults; `none` names no transport.
      GIT_ALLOW_PROTOCOL: transports.join(':') || 'none',
      ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
    }
    return commands.run({
      ...{ file: 'git', args: [...settingArgs, ...args], cwd, home, env },
      ...{ timeoutMs, maxBytes, signal },
    })
  },
})
