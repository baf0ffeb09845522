import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { connect } from './client.ts'
import { isOffline, startService, temporaryFolder } from './service.ts'

const KEY = 'CANARY-key-of-the-search'

it('an agent searches the web once an admin has configured it, and the key is nowhere to be read', async () => {
  using folder = temporaryFolder()
  const page = { url: 'https://example.com/a', title: 'The page', content: `It was asked with ${KEY}` }
  await using far = await startReceiver((response) => response.end(JSON.stringify({ results: [page] })))
  const env = { DATA_DIR: folder.in('data'), OUTBOUND_ALLOW_HOSTS: '127.0.0.1', LOG_LEVEL: 'debug' }
  await using service = await startService({ env })
  const { client } = connect(service.baseUrl)
  const { conversation } = await client.createConversation({ body: { title: 'Search' } })
  const agentic = async () => {
    const said = await fetch(
      `${service.baseUrl}/api/chat/conversations/${conversation.id}/messages/agentic`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'demo: tool web_search {"query":"news"}\ndemo: say Done' }),
      },
    )
    return said.text()
  }
  expect(await agentic()).toContain('Web search is not available')

  const searxng = { baseUrl: far.url.replace('/hook', ''), apiKey: KEY }
  const { status } = await client.changeWebSearch({ body: { enabled: true, provider: 'searxng', searxng } })
  expect(status).toEqual({ available: true, provider: 'searxng', reason: null })
  const told = await agentic()
  expect(told).toContain('https://example.com/a')
  expect(far.heard.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`])

  far.answer = (response) => void response.writeHead(401).end(KEY)
  const refused = await agentic()
  expect(refused).toContain('SearXNG rejected the API key')
  const { config } = await client.getWebSearch()
  const { entries } = await client.listToolCalls()
  const whole = await Promise.all(entries.map(({ id }) => client.getToolCall({ params: { id } })))
  expect(JSON.stringify([told, refused, config, entries, whole])).not.toContain('CANARY')
  await service.stop()
  expect(service.output()).not.toContain('CANARY')
  if (isOffline) return
  const written = readdirSync(folder.in('data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
  expect(written.join()).toContain('https://example.com/a')
  expect(written.join()).not.toContain('CANARY')
})
