import { existsSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from '@jest/globals'
import { connect } from '../journeys/client.ts'
import { moodyTask } from '../journeys/moody.ts'
import { openService } from '../journeys/opened-service.ts'
import { readText, root } from './readme.ts'

/** A new reader opens at most so many files to follow one task. */
const MOST_FILES = 45

/** The files that the walk of docs/explain/architecture.md names. One without a folder is in that of the file before it. */
const namedFiles = (): string[] => {
  const [, walk = ''] =
    /^## The walk of one task$(.*?)^## /ms.exec(readText('docs/explain/architecture.md')) ?? []
  let folder = ''
  const named = [...walk.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => {
    if (file.includes('/')) folder = path.dirname(file)
    return path.join(folder, path.basename(file))
  })
  return [...new Set(named)]
}

/** The files of this repository in which a function ran during the work. */
const visitedFiles = async (work: () => Promise<unknown>): Promise<ReadonlySet<string>> => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true })
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    await session.post('Profiler.stopPreciseCoverage')
    const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    const files = ran.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url))
    return new Set(files.map((file) => path.relative(root, file)))
  } finally {
    session.disconnect()
  }
}

describe('the walk of one task in docs/explain/architecture.md', () => {
  it('names files that a task passes through, and no more than a reader follows', async () => {
    await using service = await openService()
    const visited = await visitedFiles(() => connect(service.baseUrl).perform(moodyTask('Hello')))
    const named = namedFiles()
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
    expect(named.filter((file) => !visited.has(file))).toEqual([])
    expect(named.length).toBeGreaterThan(30)
    expect(named.length).toBeLessThanOrEqual(MOST_FILES)
  })
})
