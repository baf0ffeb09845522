import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { startCodeHost, type TestCodeHost } from '../fakes/code-host.ts'
import { calling, saying, startWire, type Wire } from '../fakes/model-wire.ts'
import { createBrowser } from '../oauth/browser.ts'
import { startProvider, type TestProvider } from '../oauth/provider.ts'
import { secretEnv, signedHeaders } from '../webhooks/signed.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { root, type Service, serviceNode, startService, temporaryFolder } from './service.ts'

const edit = { path: 'greeting.txt', oldText: 'world', newText: 'everybody' }

let folder: ReturnType<typeof temporaryFolder>
let provider: TestProvider
let host: TestCodeHost
let wire: Wire
let env: Record<string, string>
beforeEach(async () => {
  folder = temporaryFolder()
  provider = await startProvider()
  host = await startCodeHost(folder.path)
  host.people = provider.env().CODEHOST_API_URL
  wire = await startWire(calling(['edit_file', edit]), saying('Greets everybody, fixes #4 of @owner'))
  env = {
    ...provider.env(),
    ...secretEnv,
    DATA_DIR: folder.in('data'),
    CODEHOST_API_URL: `${host.origin}/api/v3`,
    CODEHOST_GIT_URL: host.origin,
    GIT_SSL_CAINFO: host.caFile,
    NODE_EXTRA_CA_CERTS: host.caFile,
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'model-7',
    OPENAI_API_KEY: 'planted_key_of_openai',
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
    TASK_LEASE_MS: '1000',
    LOG_LEVEL: 'debug',
  }
})
afterEach(async () => {
  await wire.close()
  await host[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Links an account of the code host, which may write to the repository; answers its token. */
const link = async (service: Service): Promise<string> => {
  provider.register(service.baseUrl)
  await createBrowser(service.baseUrl, provider).signIn('codehost')
  const { authorization = '' } = host.heard.find(({ path }) => path === '/api/v3/user') ?? {}
  const token = authorization.replace('Bearer ', '')
  host.tokens.set(token, { scopes: 'repo, user:email', mayRead: true, mayPush: true })
  return token
}

const issue = {
  action: 'opened',
  issue: {
    number: 3,
    title: 'Greet everybody',
    body: 'Not only the world.',
    html_url: 'https://code.example/owner/repo/issues/3',
    labels: [{ name: 'ai-task' }],
    user: { login: 'ann', type: 'User' },
  },
  repository: { id: 1, full_name: 'owner/repo' },
}

const deliver = async (service: Service): Promise<number> => {
  const body = JSON.stringify(issue)
  const headers = signedHeaders({ sender: 'codehost', body, event: 'issues', delivery: 'delivery-1' })
  return (await fetch(`${service.baseUrl}/api/webhooks/codehost`, { method: 'POST', headers, body })).status
}

/** The receiver in a process of its own: its address, and the lines that it has written since. */
const startReceiver = async () => {
  const program = join(root, 'test/fixtures/webhook-receiver.ts')
  const child = spawn(serviceNode, [program], { stdio: ['pipe', 'pipe', 'inherit'], timeout: 120_000 })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const url = await until(async () => lines.shift())
  return {
    url,
    trust: (secret: string) => child.stdin.end(`${secret}\n`),
    heard: () => lines.map((line) => JSON.parse(line)),
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  }
}

const taskOfIssue = async (api: ReturnType<typeof connect>) => {
  const { tasks } = await api.client.listTasks({ query: {} })
  return tasks[0]?.id
}

describe('an issue', () => {
  it('becomes a pull request of a private repository, is reported there, and sent to a receiver in another process', async () => {
    await using service = await startService({ env })
    const token = await link(service)
    const api = connect(service.baseUrl)
    using receiver = await startReceiver()
    const { secret = '' } = await api.client.createWebhook({
      body: { url: receiver.url, events: ['task.completed'], generateSecret: true },
    })
    receiver.trust(secret)
    expect(await deliver(service)).toBeLessThan(300)
    const id = await until(() => taskOfIssue(api))
    const task = await api.untilTask(id, 'completed', 'failed')
    const published = {
      status: 'published',
      branch: `agent/${id}`,
      pullRequest: { number: 1, url: 'https://code.example/owner/repo/pull/1' },
    }
    expect(task).toMatchObject({ status: 'completed', result: { published } })
    expect(host.git('show', `agent/${id}:greeting.txt`)).toBe('hello\neverybody')
    const [pull] = host.pulls
    expect(pull).toMatchObject({ title: 'Greet everybody', base: { ref: 'main' } })
    expect(pull?.body).toContain('which came from <https://code.example/owner/repo/issues/3>')
    expect(pull?.body).not.toMatch(/@owner|#4/)
    const [told] = await until(async () => (receiver.heard().length > 0 ? receiver.heard() : undefined))
    expect(told).toMatchObject({ event: 'task.completed', payload: { id, result: { published } } })

    const { report } = await until(async () => {
      const found = await api.client.getTask({ params: { id } })
      return found.task.report?.status === 'pending' ? undefined : found.task
    })
    expect(report).toMatchObject({
      provider: 'codehost',
      status: 'reported',
      url: 'https://code.example/owner/repo/issues/3#issuecomment-1',
    })
    expect(host.comments).toMatchObject([{ issue: 3 }])
    expect(host.comments[0]?.body).toContain('https://code.example/owner/repo/pull/1')
    expect(host.comments[0]?.body).not.toMatch(/@owner|#4/)

    const shown = ['tasks?full=true', `tasks/${id}/events`, 'audit', 'chat/sessions', 'health/detailed'].map(
      async (path) => (await fetch(`${service.baseUrl}/api/${path}`)).text(),
    )
    const texts = [...(await Promise.all(shown)), service.output(), ...filesUnder(folder.in('data'))]
    const basic = Buffer.from(`x-access-token:${token}`).toString('base64')
    expect(token.length).toBeGreaterThan(10)
    for (const secret of [token, basic]) expect(texts.some((text) => text.includes(secret))).toBe(false)
  })

  it.each(['push', 'pull'] as const)(
    'has one pull request, and no second one, when the service is killed right after the %s',
    async (moment) => {
      wire.replies = [
        calling(['edit_file', edit]),
        saying('Done'),
        calling(['edit_file', edit]),
        saying('Done'),
      ]
      const service = await startService({ env })
      await using _killed = service
      await link(service)
      let killed: Promise<unknown> | undefined
      host.after = (what) => {
        if (what !== moment || killed) return undefined
        killed = service.kill9()
        return 'lost'
      }
      await deliver(service)
      await until(async () => killed)
      await killed
      await using again = await startService({ env })
      const api = connect(again.baseUrl)
      const id = await until(() => taskOfIssue(api))
      const task = await api.untilTask(id, 'completed', 'failed')
      expect(task).toMatchObject({
        status: 'completed',
        attempts: 2,
        result: { published: { status: 'published', pullRequest: { number: 1 } } },
      })
      expect(host.pulls).toHaveLength(1)
      expect(host.git('rev-list', '--count', `main..agent/${id}`)).toBe('1')
    },
  )
})

const filesUnder = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
