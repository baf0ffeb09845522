import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { apiError, type Connection, connect } from './client.ts'
import { type Service, startService, temporaryFolder } from './service.ts'

const folder = temporaryFolder()
let service: Service
let api: Connection
const env = { DATA_DIR: folder.in('data') }
beforeAll(async () => {
  service = await startService({ env })
  api = connect(service.baseUrl)
})
afterAll(async () => {
  await service?.kill9()
  folder[Symbol.dispose]()
})

describe('a conversation with the demo model', () => {
  it('is answered, streamed, kept through a kill, listed, and deleted', async () => {
    const { client } = api
    const { conversation } = await client.createConversation({ body: { systemPrompt: 'Be short.' } })
    const { id } = conversation
    const sent = await client.sendMessage({ params: { id }, body: { content: 'Hello there' } })
    expect(sent.assistantMessage).toMatchObject({ role: 'assistant', provider: 'demo', conversationId: id })
    const messages = [{ role: 'user' as const, content: 'And once more' }]
    const streamed = await client.createCompletion.raw({
      body: { messages, stream: true, conversationId: id },
    })
    const text = await streamed.text()
    expect(text).toMatch(/^data: \{"content":/)
    expect(text).toMatch(/data: \{"done":true,[^\n]*\}\n\n$/)

    await service.kill9()
    service = await startService({ env })
    const again = connect(service.baseUrl).client
    const found = await again.getConversation({ params: { id } })
    expect(found.conversation).toMatchObject({ title: 'Hello there', messageCount: 4 })
    expect(found.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(await again.listConversations()).toMatchObject({ total: 1, conversations: [{ id }] })
    await again.removeConversation({ params: { id } })
    expect(await apiError(again.getConversation({ params: { id } }))).toMatchObject({ status: 404 })
    expect(await again.listConversations()).toMatchObject({ conversations: [] })
  })
})
