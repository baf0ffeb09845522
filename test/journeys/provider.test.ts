import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { calling, saying, startWire, type Wire } from '../fakes/model-wire.ts'
import { type Connection, connect } from './client.ts'
import { type Service, startService, temporaryFolder } from './service.ts'

// Looks like no key of any vendor: what hides it must know it, not guess it.
const KEY = 'planted.7Qx2mLw9.key'

const folder = temporaryFolder()
let wire: Wire
let service: Service
let api: Connection
beforeAll(async () => {
  wire = await startWire()
  const env = {
    DATA_DIR: folder.in('data'),
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'model-7',
    QUEUE_RETRY_BACKOFF_MS: '1',
    LOG_LEVEL: 'debug',
  }
  service = await startService({ env })
  api = connect(service.baseUrl)
})
afterEach(() => {
  wire.heard.length = 0
})
afterAll(async () => {
  await service?.kill9()
  await wire?.close()
  folder[Symbol.dispose]()
})

const PLACES = ['tasks/export', 'dlq', 'notifications', 'agents', 'health/detailed', 'health/metrics']

/** Everything that the service shows or writes of its tasks and its provider. */
const allThatIsTold = async (id: string): Promise<string> => {
  const paths = [`tasks/${id}`, `tasks/${id}/events`, ...PLACES]
  const texts = paths.map(async (path) => (await fetch(`${service.baseUrl}/api/${path}`)).text())
  return [...(await Promise.all(texts)), service.output()].join('\n')
}

describe('a provider that the environment configures', () => {
  it('is named by the first lines of the service, its key is not', () => {
    expect(service.output()).toContain('openai/model-7')
    expect(service.output()).not.toContain('demo model')
    expect(service.output()).not.toContain(KEY)
  })

  it('works on a task with the tools of the workspace', async () => {
    wire.replies = [
      calling(['write_file', { path: 'answer.txt', content: '42\n' }]),
      calling(['run_command', { command: 'printenv' }]),
      saying('The answer is in answer.txt.'),
    ]
    const task = await api.perform({ title: 'Find the answer', prompt: 'Write it down' })
    expect(task).toMatchObject({
      status: 'completed',
      usage: { promptTokens: 3, completionTokens: 3, totalTokens: 6 },
      result: {
        output: 'The answer is in answer.txt.',
        filesChanged: [{ path: 'answer.txt', status: 'added' }],
        diff: expect.stringContaining('\n+42\n'),
        provider: 'openai',
        model: 'model-7',
        steps: 3,
        toolCalls: 2,
      },
    })
    expect(wire.heard.map(({ path, body }) => [path, body.model])).toEqual(
      Array.from({ length: 3 }, () => ['/v1/chat/completions', 'model-7']),
    )
    expect(wire.heard.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => `Bearer ${KEY}`),
    )
    const [opening, , last] = wire.heard.map(({ body }) => body)
    expect(opening.messages.at(-1)).toMatchObject({
      role: 'user',
      content: 'Task: Find the answer\n\nWrite it down',
    })
    expect(opening.tools).toContainEqual(
      expect.objectContaining({ function: expect.objectContaining({ name: 'write_file' }) }),
    )
    const environment: string = last.messages.at(-1).content
    expect(environment).toContain('PATH=')
    expect(environment).not.toContain('OPENAI')
    expect(JSON.stringify(wire.heard.map(({ body }) => body))).not.toContain(KEY)
    expect(await allThatIsTold(task.id)).not.toContain(KEY)
  })
})
