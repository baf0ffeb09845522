import { mkdirSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { apiError, connect } from './client.ts'
import { openService } from './opened-service.ts'
import { isOffline, temporaryFolder } from './service.ts'

const FILES = {
  'guides/deploy & run.md':
    '# Deploying\n\nThe café runs on arm64.\n\n## Rolling back\n\nTake the version before.\n',
  'people.md': '# People\n\nAnn knows the queue, Bob the database.\n',
  'secret.txt': 'Not for memory.',
}

const write = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
}

if (isOffline)
  process.stderr.write('SKIPPED: the names of a bucket are text, odd bytes are those of a folder\n')
const oneProcess = isOffline ? it.skip : it

describe('memory', () => {
  oneProcess('names what a sync skips, whatever its name', async () => {
    using folder = temporaryFolder()
    const MEMORY_DIR = folder.in('memory')
    write(MEMORY_DIR, { 'fit.md': '# Fit', 'two\nlines.md': '# Not fit', 'notes.txt': 'Not for memory' })
    writeFileSync(
      Buffer.concat([Buffer.from(`${MEMORY_DIR}/caf`), Buffer.of(0xe9), Buffer.from('.md')]),
      '# Latin',
    )
    await using service = await openService({ MEMORY_DIR })
    const { synced, skipped } = await connect(service.baseUrl).client.syncMemory()
    expect({ synced, skipped }).toEqual({
      synced: 1,
      skipped: [
        { path: 'caf\\xe9.md', reason: 'bad_name' },
        { path: 'two\nlines.md', reason: 'bad_name' },
      ],
    })
  })

  it('finds what files say, forgets what it is asked to, and keeps what was learned', async () => {
    using folder = temporaryFolder()
    const MEMORY_DIR = folder.in('memory')
    write(MEMORY_DIR, FILES)
    await using service = await openService({ MEMORY_DIR })
    const { client } = connect(service.baseUrl)

    expect(await client.syncMemory()).toMatchObject({ synced: 2 })
    expect(await client.syncMemory()).toEqual({ synced: 2, added: 0, updated: 0, removed: 0 })
    const stats = await client.memoryStats()
    expect(stats).toEqual({ files: 2, chunks: 3, lastSync: expect.any(String), method: 'lexical' })
    expect(await client.memoryWatcher()).toMatchObject({ enabled: true, lastSync: expect.any(String) })

    const find = (query: string) => client.searchMemory({ body: { query } })
    const { chunks } = await find('roll back a cafe')
    expect(chunks.map(({ path: at, heading }) => [at, heading])).toEqual([
      ['guides/deploy & run.md', 'Rolling back'],
      ['guides/deploy & run.md', 'Deploying'],
    ])

    const { files } = await client.listMemoryFiles()
    expect(files.map(({ path: at, chunks: count }) => [at, count])).toEqual([
      ['guides/deploy & run.md', 2],
      ['people.md', 1],
    ])
    const at = { params: { path: 'guides/deploy & run.md' } }
    const whole = await client.listMemoryChunks(at)
    expect(whole.chunks.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 3],
      [5, 7],
    ])

    await client.removeMemoryChunk({ params: { id: whole.chunks[1]?.id ?? '' } })
    await client.removeMemoryFile({ params: { path: 'people.md' } })
    expect(await client.syncMemory()).toMatchObject({ synced: 1, added: 0, updated: 0 })
    expect((await find('rolling back')).count).toBe(0)
    expect((await find('Ann')).count).toBe(0)
    expect(await apiError(client.listMemoryChunks({ params: { path: 'people.md' } }))).toMatchObject({
      status: 404,
    })

    const { session } = await client.createMemorySession({ body: { name: 'arm64' } })
    expect((await client.listMemorySessions()).sessions).toEqual([session])
    const { chunks: warm } = await client.warmMemory({ body: { query: session.name } })
    expect(warm.map(({ heading }) => heading)).toEqual(['Deploying'])
    const learned = {
      type: 'error_recovery',
      intent: 'The build is red',
      solution: { run: 'npm ci' },
    } as const
    const { experience } = await client.createExperience({ body: learned })
    await client.useExperience({ params: { id: experience.id } })
    const { experiences } = await client.searchExperiences({ query: { q: 'red builds' } })
    expect(experiences).toMatchObject([{ id: experience.id, useCount: 1, ...learned }])

    await client.clearMemory()
    expect(await client.memoryStats()).toMatchObject({ files: 0, chunks: 0 })
    expect((await client.listAudit()).records).toMatchObject([{ action: 'memory.clear' }])
  })
})
