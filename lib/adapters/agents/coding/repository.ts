import { taskFailure } from './failure.ts'

/** What git is told to clone, and by which transport alone. */
export type Source = { url: string; transport: 'https' | 'file'; shown: string }

export type RepositoryRules = {
  /** Where `owner/repo` lives: `https://github.com/`, or a `file:` folder. */
  base: string
  /** Whether paths and `file:` URLs of this machine may be cloned. */
  local: boolean
  /** Why a remote host may not be reached, or undefined. */
  refuseUrl?: (url: URL) => Promise<string | undefined>
}

const refused = (why: string) =>
  taskFailure('invalid', 'repository_invalid', `The repository cannot be used: ${why}`, false)

const forms = 'give owner/repo, an https URL, a file: URL or an absolute path'

const isControl = (character: string) => character < ' ' || character === '\u007f'

const expanded = (repository: string, base: string): string => {
  const short = /^([A-Za-z0-9_][\w.-]*)\/([A-Za-z0-9_.][\w.-]*?)(?:\.git)?$/.exec(repository)
  if (short) return `${base.replace(/\/$/, '')}/${short[1]}/${short[2]}.git`
  return repository.startsWith('/')
    ? `file://${encodeURI(repository).replace(/[?#]/g, encodeURIComponent)}`
    : repository
}

const localSource = (url: URL, { local }: RepositoryRules): Source => {
  if (!local) throw refused('repositories of this machine are not allowed here')
  if (url.hostname !== '' && url.hostname !== 'localhost') throw refused('a file: URL names no host')
  const path = decodeURIComponent(url.pathname)
  return { url: path, transport: 'file', shown: path }
}

/**
 * The source behind a task's `repository`. Throws `repository_invalid`, not retryable, for every other form: options,
 * remote helpers (`ext::`), ssh, credentials inside the URL.
 */
export const sourceOf = async (repository: string, rules: RepositoryRules): Promise<Source> => {
  if (repository.startsWith('-') || [...repository].some(isControl)) throw refused(forms)
  const url = URL.parse(expanded(repository, rules.base))
  if (!url || /^[a-z0-9+.-]*::/i.test(repository)) throw refused(forms)
  if (url.protocol === 'file:') return localSource(url, rules)
  if (url.protocol !== 'https:') throw refused(forms)
  if (url.username || url.password) throw refused('leave credentials out of the URL')
  const reason = await rules.refuseUrl?.(url)
  if (reason) throw refused(reason)
  return { url: url.href, transport: 'https', shown: url.href }
}
