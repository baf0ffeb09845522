import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { startWire, status } from '../fakes/model-wire.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'

const FILES = 600
/** Calls of the model that are answered before the service dies in the next one; 64 texts each. */
const ANSWERED = 3

type Asked = { input: string[] }
const embeddingsAnswer = ({ input }: Asked) => ({
  object: 'list',
  model: 'm',
  usage: { prompt_tokens: 1, total_tokens: 1 },
  data: input.map((_text, index) => ({ object: 'embedding', index, embedding: [1, 0.5] })),
})

describe('a sync that is killed half way', () => {
  it('is gone on with by the next start: each file is there once, and no vector is asked for again', async () => {
    using folder = temporaryFolder()
    mkdirSync(folder.in('memory'))
    for (let n = 0; n < FILES; n += 1)
      writeFileSync(folder.in('memory', `note-${n}.md`), `# Note ${n}\n\nAbout number${n}.\n`)
    let isAlive = true
    const wire = await startWire((res, heard) => {
      // It says nothing to the call that the service is to die in.
      if (isAlive && wire.heard.length > ANSWERED) return
      status(200, embeddingsAnswer(heard.body))(res, heard)
    })
    try {
      const env = {
        DATA_DIR: folder.in('data'),
        MEMORY_DIR: folder.in('memory'),
        OPENAI_API_KEY: 'sk-test',
        OPENAI_BASE_URL: `${wire.origin}/v1`,
        EMBEDDING_MODEL: 'openai/m',
      }
      const dying = await startService({ env })
      await until(() => wire.heard.length > ANSWERED || undefined)
      await dying.kill9()
      const before = wire.heard.slice(0, ANSWERED).flatMap(({ body }) => (body as Asked).input)
      const from = wire.heard.length
      isAlive = false
      await using service = await startService({ env })
      const { client } = connect(service.baseUrl)
      const stats = await until(async () => {
        const read = await client.memoryStats()
        return read.files === FILES && read.withoutVector === undefined ? read : undefined
      })
      expect(stats).toMatchObject({ files: FILES, chunks: FILES, method: 'hybrid' })
      const after = wire.heard.slice(from).flatMap(({ body }) => (body as Asked).input)
      expect(after.filter((text) => before.includes(text))).toEqual([])
      expect(before.length + after.length).toBe(FILES)
      expect(await client.syncMemory()).toEqual({ synced: FILES, added: 0, updated: 0, removed: 0 })
      const { chunks } = await client.searchMemory({ body: { query: 'number417', maxResults: 2 } })
      // To this model all texts mean the same.
      expect(chunks.map(({ path }) => path)).toContain('note-417.md')
    } finally {
      await wire.close()
    }
  })
})
