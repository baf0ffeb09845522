import { Link } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { useMemorySearch, useMemoryStats } from '../../data/memory.ts'
import { Chunk as ChunkCard } from './chunk.tsx'
import { foundIn } from './hits.ts'

const WHOLE = 100

type Chunk = NonNullable<ReturnType<typeof useMemorySearch>['data']>['chunks'][number]

const MOST_WORDS = 4

const wordsIn = ({ heading = '', trail = [], path, text, terms }: Chunk) =>
  foundIn([heading, text, ...trail, path].join('\n'), terms)

/** On narrow screens the words are on their own line. */
const Why = (chunk: Chunk) => {
  const { foundBy, score } = chunk
  const words = wordsIn(chunk)
  const listedWords = words.length > MOST_WORDS ? [...words.slice(0, MOST_WORDS), '…'] : words
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs text-muted-foreground">
      <span className="max-w-64 truncate max-sm:hidden" title={words.join(', ')}>
        {listedWords.join(', ')}
      </span>
      {foundBy.includes('meaning') && <Tag>meaning</Tag>}
      {foundBy.includes('expansion') && <Tag>other words</Tag>}
      <span title="Relevance, out of 100">{Math.round(score * WHOLE)}</span>
    </span>
  )
}

/** Shown if semantic search was configured but not used. */
const WordsAlone = ({ model }: { model: string }) => (
  <p role="note" className="shrink-0 border-b px-4 py-2 text-muted-foreground md:px-6">
    Keyword search only: {model} did not respond in time, or has no vectors yet.
  </p>
)

export const Found = ({ q }: { q: string }) => {
  const { data: newest, error, refetch, isPending } = useMemorySearch(q)
  // Highlighting is expensive: deferred rendering keeps the page responsive.
  const data = useDeferredValue(newest, undefined)
  const model = useMemoryStats().data?.embeddingModel
  if (isPending || (newest && !data)) return <SkeletonRows />
  if (!data) return <Problem error={error} onRetry={() => void refetch()} />
  const note = data.method === 'lexical' && model !== undefined && <WordsAlone model={model} />
  if (data.count === 0)
    return (
      <>
        {note}
        <Empty title="No matches in memory">
          Try other words.{' '}
          {data.method === 'lexical' && model === undefined && (
            <>
              Memory uses keyword search. Set <code>EMBEDDING_MODEL</code> to search by meaning as well (
              <Link to="/docs/$group/$page" params={{ group: 'guide', page: 'memory' }} className="underline">
                how
              </Link>
              ).
            </>
          )}
        </Empty>
      </>
    )
  return (
    <>
      {note}
      <ol aria-label="Found" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4 md:px-6">
        {data.chunks.map((chunk) => (
          <ChunkCard key={chunk.id} chunk={chunk} terms={chunk.terms} aside={<Why {...chunk} />}>
            {chunk.terms.length > 0 && (
              <p className="px-3.5 pt-2 text-xs text-muted-foreground sm:hidden">
                Found by {wordsIn(chunk).join(', ')}
              </p>
            )}
          </ChunkCard>
        ))}
      </ol>
    </>
  )
}
