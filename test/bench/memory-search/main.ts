import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFolderCopies } from '../../../lib/adapters/node/folder-copies.ts'
import type { Contents } from '../../../lib/memory/contents.ts'
import { compact, lengthOf, nearness, ofLength1 } from '../../../lib/memory/vectors.ts'
import { discard, scratch } from '../children.ts'
import { columns } from '../cloud/columns.ts'
import { quantile } from '../quantile.ts'
import { atLeast, atMost, type Row } from '../row.ts'
import { table } from '../table.ts'
import { type Document, documents, manyDocuments } from './corpus.ts'
import { KINDS, type Kind, QUESTIONS } from './questions.ts'
import { type Finds, type Half, OFFERED, plainMiniSearch, type Recall, recallOf, taken } from './recall.ts'
import { DIMENSIONS, scriptedEmbedding } from './scripted-embedding.ts'
import { openMemoryService } from './service.ts'

/**
 * What search over memory finds, and how long it takes: `npm run bench:memory`. Real storage, real files, and the service as
 * a process has it; only the model for meanings is scripted.
 */
const CHUNKS = 10_000
const UNCHANGED = 1_000
const LEAST: Record<Kind, number> = { plain: 0.97, code: 0.97, typo: 0.95, paraphrase: 0 }
const LEAST_HYBRID = 0.5

type Memory = ReturnType<typeof openMemoryService>['memory']

const written = (folder: string, all: readonly Document[]) => {
  for (const { path, text } of all) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Fresh files are read again by each sync, since their time stamps say too little. */
const settled = () => new Promise((done) => setTimeout(done, 2_500))

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const finding = (memory: Memory): Finds => {
  return async ({ query }) => (await memory.search({ query, maxResults: OFFERED })).chunks.map(({ id }) => id)
}

/** Times of all questions, the second time that each is asked. */
const searchTimes = async (memory: Memory): Promise<number[]> => {
  const times: number[] = []
  for (const round of [0, 1])
    for (const { query } of QUESTIONS) {
      const ms = await timed(() => memory.search({ query, maxResults: OFFERED }))
      if (round === 1) times.push(ms)
    }
  return times
}

/** What the scripted model finds by itself: the quality that is known of it. */
const byVectorsAlone = async (contents: Contents): Promise<Finds> => {
  const { embed } = scriptedEmbedding(contents)
  const { embeddedText } = await import('../../../lib/memory/embed.ts')
  const signal = new AbortController().signal
  const all: [string, Int8Array][] = []
  for (const entry of contents.values())
    for (const [n, vector] of (await embed(entry.chunks.map(embeddedText), signal)).entries())
      all.push([entry.chunks[n]?.id ?? '', compact(vector)])
  return async ({ query }) => {
    const [given = new Float32Array()] = await embed([query], signal)
    const vector = ofLength1(given)
    return all
      .map(([id, each]) => [id, nearness(vector, each, lengthOf(each))] as const)
      .sort(([, a], [, b]) => b - a)
      .slice(0, OFFERED)
      .map(([id]) => id)
  }
}

const inFolder = async <T>(name: string, all: readonly Document[], work: (place: Place) => Promise<T>) => {
  const root = scratch(name)
  const folder = join(root, 'memory')
  written(folder, all)
  try {
    return await work({ folder, file: join(root, 'service.db'), copies: join(root, 'copies') })
  } finally {
    discard(root)
  }
}
type Place = { folder: string; file: string; copies: string }

const measureRecall = async () => {
  const all = documents()
  const contents = taken(all)
  const halves: readonly (Half | undefined)[] = [undefined, 'tuned', 'held out']
  const lines: [string, Recall][] = [
    ['default MiniSearch', await recallOf(plainMiniSearch(contents), contents)],
  ]
  const ofService = (embedding?: ReturnType<typeof scriptedEmbedding>) =>
    inFolder('recall', all, async (place) => {
      const { memory, close } = openMemoryService({ ...place, embedding })
      await memory.sync()
      const recalls: Recall[] = []
      for (const half of halves) recalls.push(await recallOf(finding(memory), contents, half))
      await close()
      return recalls
    })
  for (const [at, recall] of (await ofService()).entries())
    lines.push([`lexical${halves[at] ? `, ${halves[at]}` : ''}`, recall])
  lines.push(['scripted model alone', await recallOf(await byVectorsAlone(contents), contents)])
  const [hybrid] = await ofService(scriptedEmbedding(contents))
  if (hybrid) lines.push(['hybrid', hybrid])
  const chunks = [...contents.values()].reduce((sum, entry) => sum + entry.chunks.length, 0)
  return { lines, chunks, documents: all.length }
}

const rowsOf = (lines: readonly (readonly [string, Recall])[]): Row[] => {
  const of = (name: string) => lines.find(([each]) => each === name)?.[1] as Recall
  const [lexical, other, hybrid] = [of('lexical'), of('default MiniSearch'), of('hybrid')]
  const row = (measure: string, ours: number, against: number, opponent: string) =>
    atLeast(1, { measure, unit: '', ours, against, opponent })
  return [
    ...KINDS.filter((kind) => LEAST[kind] > 0).map((kind) =>
      row(`recall@${OFFERED}, ${kind}`, lexical[kind], LEAST[kind], 'limit'),
    ),
    ...KINDS.map((kind) => row(`recall@${OFFERED}, ${kind}`, lexical[kind], other[kind], 'MiniSearch')),
    row(`recall@${OFFERED}, paraphrase, hybrid`, hybrid.paraphrase, LEAST_HYBRID, 'limit'),
  ]
}

const limited = (measure: string, ours: number, against: number): Row =>
  atMost(1, { measure, unit: 'ms', ours, against, opponent: 'limit' })

const measureTimes = async (): Promise<Row[]> => {
  const rows: Row[] = []
  const many = manyDocuments(CHUNKS)
  const contents = taken(many)
  await inFolder('times', many, async (place) => {
    const memoryCopies = createFolderCopies(place.copies)
    const first = openMemoryService({ ...place, memoryCopies })
    await settled()
    const indexed = await timed(async () => {
      await first.memory.sync()
      await first.memory.search({ query: 'anything', maxResults: 1 })
    })
    const times = await searchTimes(first.memory)
    await first.close()
    const second = openMemoryService({ ...place, memoryCopies })
    const cold = await timed(() => second.memory.search({ query: 'how to retry', maxResults: OFFERED }))
    await second.close()
    rows.push(
      limited('search p50, lexical', quantile(times, 0.5), 5),
      limited('search p95, lexical', quantile(times, 0.95), 15),
      limited('first search of a process', cold, 300),
      limited('10,000 chunks taken in and indexed', indexed, 10_000),
    )
  })
  await inFolder('hybrid', many, async (place) => {
    const embedding = scriptedEmbedding(contents)
    const given = {
      ...place,
      embedding,
      memoryCopies: createFolderCopies(place.copies),
      isMemoryShared: true,
    }
    const first = openMemoryService(given)
    for (let left = 50; left > 0; ) {
      // A function that takes in so many files needs more than one turn.
      left = await first.memory.sync().then(
        () => 0,
        () => left - 1,
      )
    }
    const times = await searchTimes(first.memory)
    await first.close()
    const second = openMemoryService(given)
    const cold = await timed(() => second.memory.search({ query: 'how to retry', maxResults: OFFERED }))
    await second.close()
    rows.push(
      limited(`search p95, hybrid, ${DIMENSIONS} dimensions`, quantile(times, 0.95), 25),
      limited('first search of a function, from the snapshot', cold, 1_000),
    )
  })
  const short = Array.from({ length: UNCHANGED }, (_, n) => ({
    path: `n/${n}.md`,
    text: `# Note ${n}\n\nText.`,
  }))
  await inFolder('unchanged', short, async (place) => {
    const { memory, close } = openMemoryService(place)
    await settled()
    await memory.sync()
    const times: number[] = []
    for (let round = 0; round < 5; round += 1) times.push(await timed(() => memory.sync()))
    await close()
    rows.push(limited('sync of 1,000 unchanged files', quantile(times, 0.5), 200))
  })
  return rows
}

const share = (value: number) => value.toFixed(3)

const main = async (): Promise<void> => {
  console.error('recall …')
  const { lines, chunks, documents: count } = await measureRecall()
  console.error('times …')
  const onlyRecall = process.argv.includes('--recall')
  const rows = [...rowsOf(lines), ...(onlyRecall ? [] : await measureTimes())]
  const asked = KINDS.map((kind) => `${QUESTIONS.filter((each) => each.kind === kind).length} ${kind}`)
  console.log(`${chunks} chunks of ${count} documents; questions: ${asked.join(', ')}`)
  const cells = lines.map(([name, recall]) => [name, ...KINDS.map((kind) => share(recall[kind]))])
  console.log([columns([`recall@${OFFERED}`, ...KINDS], cells, 1), table(rows)].join('\n\n'))
  process.exit(rows.every(({ pass }) => pass) ? 0 : 1)
}

main().catch((error: Error) => {
  console.error(error.stack)
  process.exit(1)
})
