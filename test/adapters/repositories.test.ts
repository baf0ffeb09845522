import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Resolve } from '../../lib/adapters/node/outbound-address.ts'
import { createRepositories } from '../../lib/adapters/node/repositories.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { makeBareRepository } from '../fakes/git-host.ts'
import { temporaryFolder } from '../journeys/service.ts'

const PUBLIC = '93.184.216.34'
const ANYBODY = { isLocalAdmin: false }
const LOCAL_ADMIN = { isLocalAdmin: true }

type Rules = Partial<Parameters<typeof createRepositories>[0]>
const repositories = (rules: Rules = {}) =>
  createRepositories({
    clock: createFakeClock(),
    allow: [],
    roots: [],
    lookup: async () => [PUBLIC],
    ...rules,
  })

/** Answers each question with the next list; the last one stays. */
const fakeLookup = (...answers: string[][]): Resolve => {
  let asked = 0
  return async () => answers[Math.min(asked++, answers.length - 1)] ?? []
}
const lost: Resolve = async () => {
  throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
}

/** Everything that a caller is told of a refusal. */
const rejectionFields = async (asked: Promise<unknown>) => {
  const thrown = await asked.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof Problem)) throw new Error(`This was not refused: ${thrown}`)
  const { kind, code, message, details } = thrown
  return { kind, code, message, details, retryable: (thrown as { retryable?: boolean }).retryable }
}

const REFUSED_HOST = {
  kind: 'invalid',
  code: 'repository_refused',
  message: "This repository's host is not allowed",
  details: [
    {
      path: 'repository',
      message: 'must be on a public host, or on one listed in OUTBOUND_ALLOW_HOSTS',
    },
  ],
  retryable: true,
}

describe('a repository on a host that is refused', () => {
  const real = async (host: string) => (host === '2130706433' ? ['127.0.0.1'] : [PUBLIC])
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001'],
    ...['127.0.0.1.', '%31%32%37.0.0.1', '①②⑦.⓪.⓪.①', '１２７.0.0.1', '127。0。0。1', '0', '0.0.0.0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]'],
    ...['localhost', 'LOCALHOST.', 'a.localhost', '10.0.0.1', '192.168.0.1', '172.16.0.1', '169.254.169.254'],
    ...['100.64.0.1', '[fe80::1]', '[fd00::1]', '[2001:0:7f00:1::]', '127.0.0.1:1', '10.0.0.1:22'],
  ]
  it.each(hosts)('answers as all others do, when it is named and when it is cloned: %s', async (host) => {
    const url = `https://${host}/owner/repo.git`
    const checker = repositories({ lookup: real })
    for (const asker of [ANYBODY, LOCAL_ADMIN]) {
      expect(await rejectionFields(checker.check(url, asker))).toEqual(REFUSED_HOST)
      expect(await rejectionFields(checker.sourceOf(url, asker))).toEqual(REFUSED_HOST)
    }
  })

  it.each<[string, Resolve]>([
    ['stands for a private address', fakeLookup(['10.0.0.1'])],
    ['stands for a public and a private one', fakeLookup([PUBLIC, '127.0.0.1'])],
    ['stands for a private one in disguise', fakeLookup([PUBLIC, '::ffff:10.0.0.1'])],
    ['stands for nothing', fakeLookup([])],
    ['cannot be looked up', lost],
  ])('answers as all others do where its name %s', async (_title, lookup) => {
    const url = 'https://internal.example/owner/repo.git'
    expect(await rejectionFields(repositories({ lookup }).check(url, ANYBODY))).toEqual(REFUSED_HOST)
    expect(await rejectionFields(repositories({ lookup }).sourceOf(url, ANYBODY))).toEqual(REFUSED_HOST)
  })

  it('is checked again when it is cloned, for a name may change what it stands for', async () => {
    const rebinding = repositories({ lookup: fakeLookup([PUBLIC], ['127.0.0.1']) })
    const url = 'https://rebinding.example/owner/repo.git'
    await rebinding.check(url, ANYBODY)
    expect(await rejectionFields(rebinding.sourceOf(url, ANYBODY))).toEqual(REFUSED_HOST)
  })

  it.each(['http', 'ssh', 'git', 'ftp'])('is refused by %s too, before it is stored', async (scheme) => {
    expect(await rejectionFields(repositories().check(`${scheme}://127.0.0.1/a`, ANYBODY))).toEqual(
      REFUSED_HOST,
    )
  })

  it.each(['https://github.com@127.0.0.1/a/b', 'https://user:token@github.com/a/b'])(
    'is no way to store credentials: %s',
    async (url) => {
      const refusal = { code: 'repository_invalid', message: expect.not.stringContaining('token') }
      expect(await rejectionFields(repositories().check(url, LOCAL_ADMIN))).toMatchObject(refusal)
      expect(await rejectionFields(repositories().sourceOf(url, LOCAL_ADMIN))).toMatchObject(refusal)
    },
  )
})

describe('a repository on a host that may be reached', () => {
  it('is pinned to every address that was checked, under the name that git will use', async () => {
    const lookup = async () => [PUBLIC, '2606:4700::1111']
    expect(await repositories({ lookup }).sourceOf('https://Git.Example.:8443/a/b', ANYBODY)).toEqual({
      transport: 'https',
      url: 'https://git.example:8443/a/b',
      host: { name: 'git.example', port: 8_443, addresses: [PUBLIC, '2606:4700::1111'] },
      shown: 'https://git.example:8443/a/b',
    })
  })

  it.each(['git@git.example:a/b.git', 'ssh://git@git.example/a/b', 'git@git.example:a/b'])(
    'is cloned by https where its SSH form is given: %s',
    async (given) => {
      await repositories().check(given, ANYBODY)
      const source = await repositories().sourceOf(given, ANYBODY)
      expect(source).toMatchObject({ transport: 'https', url: 'https://git.example/a/b.git' })
      const inside = given.replace('git.example', '127.0.0.1')
      expect(await rejectionFields(repositories().check(inside, ANYBODY))).toEqual(REFUSED_HOST)
    },
  )

  it('is private where the operator allows it', async () => {
    const allowing = repositories({ allow: ['10.0.0.0/8'], lookup: async () => ['10.1.2.3'] })
    await allowing.check('https://git.internal/a/b', ANYBODY)
    expect(await allowing.sourceOf('https://git.internal/a/b', ANYBODY)).toMatchObject({
      host: { addresses: ['10.1.2.3'] },
    })
  })

  it('is that of the service for owner/repo, which is not looked up before the clone', async () => {
    await repositories({ lookup: lost }).check('owner/repo', ANYBODY)
    expect(await repositories().sourceOf('owner/repo.js', ANYBODY)).toMatchObject({
      url: 'https://github.com/owner/repo.js.git',
    })
    const failing = rejectionFields(repositories({ lookup: lost }).sourceOf('owner/repo', ANYBODY))
    expect(await failing).toMatchObject({ code: 'clone_failed', retryable: true })
  })

  it.each([
    ...['--upload-pack=touch pwned', '-u', 'ext::sh -c touch% pwned', 'fd::17', 'file::/x', 'me@host:a/b'],
    ...['ssh://host/a/b', 'git://host/a/b', 'http://host/a/b', 'ftp://host/a', 'host:a/b', '-owner/repo'],
    ...[
      'owner/-repo',
      './repo',
      '../repo',
      'owner/repo/../..',
      'owner',
      'owner/repo\n--upload-pack=x',
      'https://',
    ],
    ...['file://host/a/b', 'file:///a%zz', 'file:///a%00b', 'mailto:a@b', ''],
  ])('has no other form; that one is left to agents of the operator: %j', async (text) => {
    await repositories().check(text, ANYBODY)
    const refusal = { code: 'repository_invalid', retryable: false }
    expect(await rejectionFields(repositories().sourceOf(text, LOCAL_ADMIN))).toMatchObject(refusal)
  })
})

describe('a repository of this machine', () => {
  const folder = temporaryFolder()
  let bare: string
  beforeAll(() => {
    bare = makeBareRepository(folder.path)
    for (const name of ['open', 'open/linked', 'open/pointing']) mkdirSync(folder.in(name))
    makeBareRepository(folder.in('open'))
    symlinkSync(bare, folder.in('open/way-out'))
    symlinkSync(bare, folder.in('open/linked/.git'))
    symlinkSync(folder.in('nowhere'), folder.in('open/dangling'))
    writeFileSync(folder.in('open/pointing/.git'), `gitdir: ${bare}\n`)
    execFileSync('git', ['clone', '--quiet', '--shared', bare, folder.in('open/borrowing')])
  })
  afterAll(() => folder[Symbol.dispose]())

  const rooted = () => repositories({ roots: [folder.in('open')] })
  const REFUSED_PATH = {
    ...REFUSED_HOST,
    message: "This repository's path is not allowed",
    details: [
      {
        path: 'repository',
        message: 'must be in one of the folders listed in REPOSITORY_ROOTS',
      },
    ],
    retryable: false,
  }

  it('is any for the local admin, named by path or as a file: URL, byte for byte', async () => {
    const source = { transport: 'file', gitDir: bare, reads: [bare], shown: bare }
    for (const text of [bare, `file://${bare}`, `file://localhost${bare}`]) {
      await repositories().check(text, LOCAL_ADMIN)
      expect(await repositories().sourceOf(text, LOCAL_ADMIN)).toEqual(source)
    }
    const odd = folder.in("a b'100%#c?d ü")
    mkdirSync(odd)
    expect(await repositories().sourceOf(makeBareRepository(odd), LOCAL_ADMIN)).toMatchObject({
      gitDir: `${odd}/repo.git`,
    })
  })

  it('is below the roots of the operator for everybody else', async () => {
    for (const text of ['open/repo.git', 'open/repo', 'open/made', 'open/../open/made']) {
      await rooted().check(folder.in(text), ANYBODY)
      expect(await rooted().sourceOf(folder.in(text), ANYBODY)).toMatchObject({ transport: 'file' })
    }
    const gone = rejectionFields(rooted().sourceOf(folder.in('open/gone'), ANYBODY))
    expect(await gone).toMatchObject({ code: 'clone_failed', retryable: false })
  })

  it.each([
    ...['repo.git', 'gone', 'open-gone', 'open/../repo.git', 'open/way-out', 'open/way-out/objects'],
    ...['open/dangling', 'open/way-out/../../repo.git', '../../../../../../etc'],
  ])('is refused elsewhere in one way, there or not: %s', async (path) => {
    const text = `${folder.path}/${path}`
    for (const form of [text, `file://${text}`, `file://${text.replaceAll('..', '%2e%2e')}`]) {
      expect(await rejectionFields(rooted().check(form, ANYBODY))).toEqual(REFUSED_PATH)
      expect(await rejectionFields(rooted().sourceOf(form, ANYBODY))).toEqual(REFUSED_PATH)
    }
    expect(await rejectionFields(repositories().check(text, ANYBODY))).toEqual(REFUSED_PATH)
  })

  it.each([
    ['its .git is a link', 'open/linked', () => [bare]],
    ['its .git is a file', 'open/pointing', () => [bare]],
    [
      'its objects are borrowed',
      'open/borrowing',
      () => [folder.in('open/borrowing/.git'), `${bare}/objects`],
    ],
  ])('is refused where git would read elsewhere: %s', async (_why, path, reads) => {
    expect(await rejectionFields(rooted().sourceOf(folder.in(path), ANYBODY))).toEqual(REFUSED_PATH)
    expect(await rooted().sourceOf(folder.in(path), LOCAL_ADMIN)).toMatchObject({ reads: reads() })
  })

  it.each(['relative', '/no/such/folder', '/etc/passwd'])('has no root %s', (root) => {
    expect(() => repositories({ roots: [root] })).toThrow(/^REPOSITORY_ROOTS: .* absolute path of a folder/)
  })
})
