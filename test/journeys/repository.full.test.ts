import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { onLoopback } from '../../offline/loopback.ts'
import { startGitHost } from '../fakes/git-host.ts'
import { ask } from './api.ts'
import { type Connection, connect, eventTypes } from './client.ts'
import { type OpenedService, openService } from './opened-service.ts'
import { isOffline, temporaryFolder } from './service.ts'

const folder = temporaryFolder()
// A blank and an accent: both forms of naming it must survive them.
const source = folder.in('the projét')
const git = (...args: string[]) =>
  execFileSync('git', ['-C', source, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
  }).trim()

let service: OpenedService
let api: Connection
beforeAll(async () => {
  mkdirSync(source)
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(`${source}/greeting.txt`, 'hello\nworld\n')
  git('add', '.')
  git('commit', '--quiet', '--message=Begin')
  service = await openService(isOffline ? {} : { DATA_DIR: folder.in('data') })
  api = connect(service.baseUrl)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const edit = { path: 'greeting.txt', oldText: 'world', newText: 'everybody' }
const prompt = `demo: tool edit_file ${JSON.stringify(edit)}`

describe('a task with a repository', () => {
  it.each([
    ['a path of this machine', source, 'feature/greeting'],
    ['a file: URL', pathToFileURL(source).href, undefined],
  ])('given as %s works on a branch of a clone', async (_form, repository, branch) => {
    const task = await api.perform({ title: 'Greet', prompt, repository, ...(branch ? { branch } : {}) })
    expect(task).toMatchObject({ status: 'completed', repository })
    expect(task.result).toMatchObject({
      branch: branch ?? `agent/${task.id}`,
      baseCommit: git('rev-parse', 'HEAD'),
      filesChanged: [{ path: 'greeting.txt', status: 'modified', additions: 1, deletions: 1 }],
      diff: expect.stringContaining('\n hello\n-world\n+everybody\n'),
    })
    const messages = (await api.events(task.id)).map(({ message }) => message)
    expect(messages).toContain(`Cloning ${source}`)
    expect(readFileSync(`${source}/greeting.txt`, 'utf8')).toBe('hello\nworld\n')
    expect(git('branch', '--list').split('\n')).toEqual(['* main'])
  })

  it('begins where an existing branch of the repository is', async () => {
    git('branch', 'topic', git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'Topic'))
    const task = await api.perform({ title: 'Greet', prompt, repository: source, branch: 'topic' })
    expect(task.result).toMatchObject({ branch: 'topic', baseCommit: git('rev-parse', 'topic') })
    git('branch', '--quiet', '-D', 'topic')
  })

  it.each([
    ['is not there', { repository: `${source}-gone` }, 'clone_failed', /does not exist\. Check the name/],
    [
      'is a file',
      { repository: `${source}/greeting.txt` },
      'clone_failed',
      /does not exist\. Check the name/,
    ],
    ['names no form', { repository: 'no-such-form' }, 'repository_invalid', /use owner\/repo, an https URL/],
    ['is an option', { repository: '--upload-pack=true' }, 'repository_invalid', /use owner\/repo/],
  ])(
    'that %s fails at once, says why, and waits in the dead letter queue',
    async (_what, given, code, why) => {
      const task = await api.perform({ title: 'Cannot begin', prompt, ...given })
      expect(task).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: { code, message: expect.stringMatching(why) },
      })
      expect(eventTypes(await api.events(task.id)).at(-1)).toBe('failed')
      const [item] = (await api.client.listDlq()).items
      expect(item).toMatchObject({ taskId: task.id, attempts: 1, lastError: task.error?.message })
    },
  )
})

describe('a task whose agent left a filter in the settings of its workspace', () => {
  it('has its changes read without it', async () => {
    const program = `
import { appendFileSync, chmodSync, writeFileSync } from 'node:fs'
appendFileSync('.git/config', '[filter "planted"]\\n\\tclean = ./planted')
writeFileSync('.gitattributes', '* filter=planted')
writeFileSync('planted', '#!/bin/sh\\ntouch sprung')
chmodSync('planted', 0o755)
`
    const write = `demo: tool write_file ${JSON.stringify({ path: 'm.mjs', content: program })}`
    const run = `demo: tool run_command ${JSON.stringify({ command: 'node', args: ['m.mjs'] })}`
    const { id, result } = await api.perform({
      title: 'Plant',
      prompt: `${write}\n${run}`,
      repository: source,
    })
    const changed = (result as unknown as { filesChanged: { path: string }[] }).filesChanged
    expect(changed.map(({ path }) => path)).toEqual(['.gitattributes', 'm.mjs', 'planted'])
    const work = isOffline ? undefined : folder.in('data', 'workspaces', `${id}-1`, 'work')
    if (work === undefined)
      return console.error('SKIPPED in part: functions remove a workspace when its run is over')
    expect(readdirSync(work)).toEqual(expect.arrayContaining(['planted']))
    expect(readdirSync(work)).not.toContain('sprung')
  })
})

const REFUSED_HOST = { error: "This repository's host is not allowed", code: 'repository_refused' }
const REFUSED_PATH = { error: "This repository's path is not allowed", code: 'repository_refused' }

/** What a service answers to a call, without the id of the request. */
const answerTo = async (baseUrl: string, path: string, body: object, headers = {}) => {
  const { status, body: answer } = await ask<{ requestId: string; code: string }>(
    `${baseUrl}/api/${path}`,
    'POST',
    body,
    headers,
  )
  const { requestId: _each, ...rest } = answer
  return { status, ...rest }
}

const createToken = async (baseUrl: string) =>
  (await ask<{ token: string }>(`${baseUrl}/api/tokens`, 'POST', { name: 'CI', scopes: ['gateway'] })).body
    .token

/** A server of the private network, and how many came to it. */
const startInside = async () => {
  const seen = { connections: 0 }
  const server = createServer((_request, response) => response.end())
  server.on('connection', () => {
    seen.connections += 1
  })
  const { port, stop } = await onLoopback(server)
  return Object.assign(seen, { port, [Symbol.asyncDispose]: stop })
}

describe('a repository on a host that is refused', () => {
  it('gets one answer, whatever listens there, and nothing connects', async () => {
    await using inside = await startInside()
    const hosts = [
      `127.0.0.1:${inside.port}`,
      `[::ffff:127.0.0.1]:${inside.port}`,
      `2130706433:${inside.port}`,
    ]
    const others = ['127.0.0.1:1', '[::1]', 'localhost', '169.254.169.254', '10.255.255.1', 'nothing.invalid']
    const bearer = { authorization: `Bearer ${await createToken(service.baseUrl)}` }
    const answers = { tasks: new Set<string>(), gateway: new Set<string>() }
    for (const host of [...hosts, ...others]) {
      const task = { title: 'Look inside', repository: `https://${host}/owner/repo.git` }
      answers.tasks.add(JSON.stringify(await answerTo(service.baseUrl, 'tasks', task)))
      answers.gateway.add(JSON.stringify(await answerTo(service.baseUrl, 'gateway', { task }, bearer)))
    }
    const [ofTasks = '{}', ...moreOfTasks] = answers.tasks
    const [ofGateway = '{}', ...moreOfGateway] = answers.gateway
    expect(JSON.parse(ofTasks)).toMatchObject({
      status: 400,
      ...REFUSED_HOST,
      details: [{ path: 'repository' }],
    })
    expect(JSON.parse(ofGateway)).toMatchObject({
      status: 400,
      code: 'repository_refused',
      details: [{ path: 'task.repository' }],
    })
    expect([...moreOfTasks, ...moreOfGateway]).toEqual([])
    expect(inside.connections).toBe(0)
  })

  it('is not cloned for a task that was stored all the same, and one that has ended is not run again', async () => {
    await using inside = await startInside()
    const repository = `https://127.0.0.1:${inside.port}/owner/repo.git`
    const task = {
      title: 'Old',
      priority: 3,
      source: 'api',
      labels: [],
      repository,
      createdAt: '2026-01-01T00:00:00.000Z',
    }
    const tasks = [
      { ...task, id: 'imported-open', status: 'queued' },
      { ...task, id: 'imported-over', status: 'completed' },
    ]
    await api.client.importTasks({ body: { version: '1.0', tasks } })
    const ended = await api.untilTask('imported-open', 'completed', 'failed')
    expect(ended.error).toEqual({ code: 'repository_refused', message: REFUSED_HOST.error })
    expect(await answerTo(service.baseUrl, 'tasks/imported-over/retry', {})).toMatchObject(REFUSED_HOST)
    expect(inside.connections).toBe(0)
  })
})

describe('a repository of this machine', () => {
  it('is none for who holds an API token', async () => {
    const bearer = { authorization: `Bearer ${await createToken(service.baseUrl)}` }
    const task = { title: 'Look around', repository: source }
    const answer = await answerTo(service.baseUrl, 'gateway', { task }, bearer)
    expect(answer).toMatchObject({ status: 400, code: 'repository_refused' })
  })

  it('is for accounts where it lies in REPOSITORY_ROOTS, whatever the rest holds and a task says', async () => {
    mkdirSync(folder.in('roots'))
    git('clone', '--quiet', '--bare', source, folder.in('roots', 'open.git'))
    const env = { REPOSITORY_ROOTS: folder.in('roots'), AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open' }
    await using accounts = await openService(env)
    const account = { name: 'Ann', email: 'ann@example.com', password: 'correct horse 1' }
    const signUp = await fetch(`${accounts.baseUrl}/api/auth/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    })
    const cookie = { cookie: (signUp.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
    const ann = connect(accounts.baseUrl, cookie)

    const opened = await ann.perform({ title: 'Greet', prompt, repository: folder.in('roots', 'open.git') })
    expect(opened).toMatchObject({
      status: 'completed',
      result: { filesChanged: [{ path: 'greeting.txt' }] },
    })
    for (const repository of [source, `${source}-gone`, '/etc/shadow', '/no/such/folder'])
      expect(await answerTo(accounts.baseUrl, 'tasks', { title: 'Look', repository }, cookie)).toMatchObject({
        status: 400,
        ...REFUSED_PATH,
      })
    const forged = { id: 'forged', title: 'Old', priority: 3, status: 'queued', source: 'api', labels: [] }
    const more = { repository: source, createdBy: 'local', createdAt: '2026-01-01T00:00:00.000Z' }
    await ann.client.importTasks({ body: { version: '1.0', tasks: [{ ...forged, ...more }] } })
    expect((await ann.untilTask('forged', 'completed', 'failed')).error).toEqual({
      code: 'repository_refused',
      message: REFUSED_PATH.error,
    })
  })
})

describe('a private host that the operator allows', () => {
  it('is cloned from, and not where it redirects to', async () => {
    await using host = await startGitHost(folder.path)
    await using inside = await startInside()
    mkdirSync(folder.in('moved'))
    await using moved = await startGitHost(folder.in('moved'), {
      answer: ({ url }, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${inside.port}${url}` }).end(),
    })
    const authorities = folder.in('authorities.crt')
    writeFileSync(authorities, [host, moved].map(({ caFile }) => readFileSync(caFile, 'utf8')).join(''))
    const env = { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', GIT_SSL_CAINFO: authorities }
    await using allowing = await openService(env)
    const { perform } = connect(allowing.baseUrl)
    expect(await perform({ title: 'Greet', prompt, repository: host.repository })).toMatchObject({
      status: 'completed',
      result: { filesChanged: [{ path: 'greeting.txt' }] },
    })

    const failed = await perform({ title: 'Greet', prompt, repository: moved.repository })
    expect(failed).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'clone_failed', message: expect.stringContaining('it has moved') },
    })
    expect(inside.connections).toBe(0)
  })
})
