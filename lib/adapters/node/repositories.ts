import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, resolve, sep } from 'node:path'
import { badSetting } from '../../core/bad-setting.ts'
import { Problem } from '../../core/errors.ts'
import { taskFailure } from '../../core/task-failure.ts'
import type {
  Asker,
  HostedName,
  LocalSource,
  RemoteSource,
  Repositories,
  Source,
} from '../../ports/repositories.ts'
import { localRepository } from './local-repository.ts'
import { createOutboundCheck, type OutboundNeeds } from './outbound-check.ts'
import { locateIn } from './workspace-path.ts'

type Needs = OutboundNeeds & {
  /** REPOSITORY_ROOTS: folders whose repositories all users may name. */
  roots: readonly string[]
  /** The base address of `owner/repo`. */
  base?: string
  /** Whether it is the code host whose accounts people link. */
  isLinked?: boolean
}

/** The form of a given repository. For `owner/repo` the caller cannot choose the host. */
type Named = { form: 'hosted' | 'url'; url: URL } | { form: 'path'; path: string } | { form: 'none' }

const NONE: Named = { form: 'none' }
const SHORT = /^([A-Za-z0-9_][\w.-]*)\/([A-Za-z0-9_.][\w.-]*?)(?:\.git)?$/
/** As code hosts offer it to copy; it is cloned by https, since the service has no SSH key. */
const SSH = /^(?:ssh:\/\/)?git@([\w.-]+)[:/](?!\d+\/)([\w./-]+?)(?:\.git)?$/
const HTTPS_PORT = 443

const unusable = (why: string) =>
  taskFailure('invalid', 'repository_invalid', `The repository cannot be used: ${why}`, false)

const FORMS = 'use owner/repo, an https URL, a file: URL or an absolute path'

const refused = (what: string, advice: string, retryable: boolean) =>
  taskFailure('invalid', 'repository_refused', `This repository's ${what} is not allowed`, retryable, {
    details: [{ path: 'repository', message: advice }],
  })

// Retryable: the lookup of a name may have failed, and the error must not reveal which refusal it was.
const refusedHost = () =>
  refused('host', 'must be on a public host, or on one listed in OUTBOUND_ALLOW_HOSTS', true)

const refusedPath = () => refused('path', 'must be in one of the folders listed in REPOSITORY_ROOTS', false)

const cloneFailed = (shown: string, why: string, retryable: boolean) =>
  taskFailure('unavailable', 'clone_failed', `Cloning ${shown} failed: ${why}`, retryable)

const hasControls = (text: string) => [...text].some((letter) => letter < ' ' || letter === '\u007f')

const localPath = ({ hostname, pathname }: URL): Named => {
  try {
    const path = decodeURIComponent(pathname)
    return ['', 'localhost'].includes(hostname) && !hasControls(path) ? { form: 'path', path } : NONE
  } catch {
    return NONE
  }
}

const namedIn = (given: string, base: string): Named => {
  const text = given.replace(SSH, 'https://$1/$2.git')
  if (text.startsWith('-') || hasControls(text) || /^[a-z0-9+.-]*::/i.test(text)) return NONE
  if (text.startsWith('/')) return { form: 'path', path: text }
  const [, owner, name] = SHORT.exec(text) ?? []
  const url = URL.parse(owner === undefined ? text : `${base.replace(/\/$/, '')}/${owner}/${name}.git`)
  if (url?.protocol === 'file:') return localPath(url)
  if (!url?.hostname) return NONE
  return { form: owner === undefined ? 'url' : 'hosted', url }
}

const readRoots = (entries: readonly string[]): string[] =>
  entries.map((entry) => {
    const isFolder = isAbsolute(entry) && statSync(entry, { throwIfNoEntry: false })?.isDirectory()
    if (isFolder) return realpathSync(entry)
    throw badSetting(`REPOSITORY_ROOTS: ${entry} is not the absolute path of a folder`)
  })

const isWithin = (root: string, path: string) =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** Repositories of other hosts and of this machine. Throws Problem `bad_setting` for a wrong `allow` or `roots`. */
export const createRepositories = ({
  roots: entries,
  base = 'https://github.com',
  isLinked = false,
  ...outbound
}: Needs): Repositories => {
  const { lookUpAddresses } = createOutboundCheck(outbound)
  const roots = readRoots(entries)

  const resolved = async (url: URL): Promise<readonly string[]> => {
    try {
      return await lookUpAddresses(url)
    } catch {
      throw refusedHost()
    }
  }

  /** The real path, if the asker may name it. Others must not learn whether it exists. */
  const allowedPath = async (path: string, { isLocalAdmin }: Asker): Promise<string> => {
    if (isLocalAdmin) return resolve(path)
    for (const root of roots) {
      const place = await locateIn(root, path)
      if (place !== undefined) return resolve(root, place)
    }
    throw refusedPath()
  }

  const localSource = async (path: string, asker: Asker): Promise<LocalSource> => {
    const repository = await localRepository(await allowedPath(path, asker))
    if (repository === undefined) throw cloneFailed(path, 'it does not exist. Check the name', false)
    // A `.git` that is a link or a file may lead anywhere.
    const isInside = repository.reads.every((folder) => roots.some((root) => isWithin(root, folder)))
    if (!asker.isLocalAdmin && !isInside) throw refusedPath()
    return { transport: 'file', ...repository, shown: path }
  }

  /** The host of `owner/repo` is public, so a failed lookup may be told apart from a refusal. */
  const hostedAt = async (url: URL): Promise<readonly string[]> => {
    try {
      return await lookUpAddresses(url)
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'invalid') throw refusedHost()
      throw cloneFailed(url.href, 'the host could not be reached', true)
    }
  }

  const remoteSource = async (given: URL, isHosted: boolean): Promise<RemoteSource> => {
    const url = new URL(given)
    // The same form as in the lookup and the pinning: a dot at the end would cause another lookup.
    url.hostname = url.hostname.replace(/\.$/, '')
    const addresses = await (isHosted ? hostedAt(url) : resolved(url))
    const host = { name: url.hostname, port: Number(url.port || HTTPS_PORT), addresses }
    const hosted = isLinked ? hostedName(url, base) : undefined
    return { transport: 'https', url: url.href, host, ...(hosted && { hosted }), shown: url.href }
  }

  const check = async (repository: string, asker: Asker): Promise<void> => {
    const named = namedIn(repository, base)
    if (named.form === 'path') await allowedPath(named.path, asker)
    if (named.form !== 'url') return
    refuseCredentials(named.url)
    await resolved(named.url)
  }

  const sourceOf = async (repository: string, asker: Asker): Promise<Source> => {
    const named = namedIn(repository, base)
    if (named.form === 'none') throw unusable(FORMS)
    if (named.form === 'path') return localSource(named.path, asker)
    refuseCredentials(named.url)
    if (named.url.protocol !== 'https:') throw unusable(FORMS)
    return remoteSource(named.url, named.form === 'hosted')
  }

  return { check, sourceOf }
}

/** The repository of a URL on the code host; undefined for another host, or without a repository. */
const hostedName = ({ origin, pathname, search, hash }: URL, base: string): HostedName | undefined => {
  if (origin !== URL.parse(base)?.origin || search + hash !== '') return undefined
  const [, owner, name] = SHORT.exec(pathname.slice(1).replace(/\/$/, '')) ?? []
  // A name of dots would be a parent directory in a path of the API.
  return owner === undefined || name === undefined || /^\.+$/.test(name) ? undefined : { owner, name }
}

const refuseCredentials = ({ username, password }: URL) => {
  if (username || password) throw unusable('the URL must not contain credentials')
}
