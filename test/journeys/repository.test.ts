import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Connection, connect, typesOf } from './client.ts'
import { type Service, startService, temporaryFolder } from './service.ts'

const folder = temporaryFolder()
// A blank and an accent: both forms of naming it must survive them.
const source = folder.in('the projét')
const git = (...args: string[]) =>
  execFileSync('git', ['-C', source, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
  }).trim()

let service: Service
let api: Connection
beforeAll(async () => {
  mkdirSync(source)
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(`${source}/greeting.txt`, 'hello\nworld\n')
  git('add', '.')
  git('commit', '--quiet', '--message=Begin')
  service = await startService({ env: { DATA_DIR: folder.in('data') } })
  api = connect(service.baseUrl)
})
afterAll(async () => {
  await service?.kill9()
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
    ['is not there', { repository: `${source}-gone` }, 'clone_failed', /does not exist: check the name/],
    [
      'is a file',
      { repository: `${source}/greeting.txt` },
      'clone_failed',
      /greeting\.txt failed: git refuses it/,
    ],
    ['names no form', { repository: 'no-such-form' }, 'repository_invalid', /give owner\/repo, an https URL/],
    ['is an option', { repository: '--upload-pack=true' }, 'repository_invalid', /give owner\/repo/],
    ['has a bad branch', { repository: source, branch: 'a..b' }, 'branch_invalid', /not a name that git/],
  ])(
    'that %s fails at once, says why, and waits in the dead letter queue',
    async (_what, given, code, why) => {
      const task = await api.perform({ title: 'Cannot begin', prompt, ...given })
      expect(task).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: { code, message: expect.stringMatching(why) },
      })
      expect(typesOf(await api.events(task.id)).at(-1)).toBe('failed')
      const [item] = (await api.client.listDlq()).items
      expect(item).toMatchObject({ taskId: task.id, attempts: 1, lastError: task.error?.message })
    },
  )
})
