import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Reply, saying, startWire, status, type Wire } from '../fakes/model-wire.ts'
import { type Connection, connect } from './client.ts'
import { type OpenedService, openService } from './opened-service.ts'
import { temporaryFolder } from './service.ts'

const DEPLOY = '# Deploying\n\nText.\n\n# Rollback of a release\n\nRun make rollback.\n'
const SOURCE = 'ops/deploy.md:5-7'

/** A model that names the source of what it was given to know, and says so where it was given nothing. */
const namesItsSource: Reply = (res, heard) => {
  if (heard.method === 'GET') return status(200, { object: 'list', data: [] })(res, heard)
  const source = /\[?(ops\/deploy\.md:\d+-\d+)\]?[\s\S]*?make rollback/.exec(
    JSON.stringify(heard.body.messages),
  )
  return saying(source ? `As ${source[1]} says: make rollback.` : 'I was given nothing.')(res, heard)
}

const folder = temporaryFolder()
let wire: Wire
let service: OpenedService
let api: Connection
beforeAll(async () => {
  wire = await startWire(namesItsSource)
  mkdirSync(folder.in('memory', 'ops'), { recursive: true })
  writeFileSync(folder.in('memory', 'ops', 'deploy.md'), DEPLOY)
  const env = {
    MEMORY_DIR: folder.in('memory'),
    OLLAMA_BASE_URL: `${wire.origin}/v1`,
    OLLAMA_MODEL: 'm',
  }
  service = await openService(env)
  api = connect(service.baseUrl)
  await api.client.syncMemory()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await wire?.close()
  folder[Symbol.dispose]()
})

describe('what memory has', () => {
  it.each([
    [true, `As ${SOURCE} says: make rollback.`],
    [false, 'I was given nothing.'],
  ])(
    'reaches the model with a turn of a conversation by file and lines, a memory session tied to it: %s',
    async (isTied, answer) => {
      const { client } = api
      const { id } = (await client.createConversation({ body: {} })).conversation
      if (isTied) await client.createMemorySession({ body: { name: 'Release 7', conversationId: id } })
      const content = 'How do I do the rollback of a release?'
      const { assistantMessage } = await client.sendMessage({ params: { id }, body: { content } })
      expect(assistantMessage.content).toBe(answer)
    },
  )

  it('reaches the coding agent with its task, which answers by it, and the task names file and lines', async () => {
    const { client, perform } = api
    const { experience } = await client.createExperience({
      body: {
        type: 'error_recovery',
        intent: 'Rollback of a release that hangs',
        solution: 'Stop the queue first',
      },
    })
    const task = await perform({ title: 'Rollback of the release', assignedAgent: 'coding-agent' })
    expect(task.status).toBe('completed')
    expect(task.result).toMatchObject({
      output: expect.stringContaining(`As ${SOURCE} says`),
      memory: {
        chunks: [{ path: 'ops/deploy.md', startLine: 5, endLine: 7, heading: 'Rollback of a release' }],
        experiences: [{ id: experience.id, intent: 'Rollback of a release that hangs' }],
      },
    })
    const asked = JSON.stringify(wire.heard.at(-1)?.body.messages)
    expect(asked).toContain('[earlier work: Rollback of a release that hangs]\\nStop the queue first')
  })
})
