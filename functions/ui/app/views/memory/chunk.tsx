import { Link } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { MemoryChunk } from '../../../../../lib/memory/schema.ts'
import { Confirm } from '../../components/confirm.tsx'
import { TextPieces } from '../../components/plain-text.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { useRemoveChunk } from '../../data/memory.ts'
import { splitHits } from './hits.ts'

const Marked = ({ text, terms }: { text: string; terms: readonly string[] }) =>
  splitHits(text, terms).map(({ text: piece, isHit, at }) =>
    isHit ? (
      <mark key={at} className="rounded-sm bg-queued/25 text-foreground">
        {piece}
      </mark>
    ) : (
      <span key={at}>{piece}</span>
    ),
  )

type Props = { chunk: MemoryChunk; terms?: readonly string[]; aside?: ReactNode; children?: ReactNode }

/** Drops the first line if it is the heading. */
const bodyText = ({ heading, text }: MemoryChunk): string => {
  const [first = '', ...lines] = text.split('\n')
  const body = lines.join('\n').trimStart()
  return body !== '' && first.replace(/^#+/, '').trim() === heading ? body : text
}

export const Chunk = ({ chunk, terms = [], aside, children }: Props) => {
  const { id, path, startLine, endLine, heading, trail = [] } = chunk
  const remove = useRemoveChunk()
  return (
    <li className="rounded-lg border bg-card">
      <div className="flex min-h-10 items-center gap-2 border-b pr-1.5 pl-3.5">
        <div className="min-w-0 flex-1 py-1.5">
          {heading && (
            <p className="truncate font-semibold">
              {trail.length > 0 && (
                <span className="font-normal text-muted-foreground">{startOfLine(trail.join(' › '))} › </span>
              )}
              <Marked text={startOfLine(heading)} terms={terms} />
            </p>
          )}
          <Link
            to="/memory"
            search={{ path }}
            className="block truncate font-mono text-xs text-muted-foreground hover:underline"
          >
            {startOfLine(path)}:{startLine}–{endLine}
          </Link>
        </div>
        {aside}
        <Confirm
          verb="Remove"
          title="Remove this chunk"
          kind="ghost"
          size="icon"
          trigger={<Trash2 size={14} />}
          onConfirm={() => remove.mutateAsync(id)}
        >
          Lines {startLine} to {endLine} of {path} are removed from memory until the file changes.
        </Confirm>
      </div>
      {children}
      <p className="px-3.5 py-2.5 leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
        <TextPieces text={bodyText(chunk)} draw={(piece) => <Marked text={piece} terms={terms} />} />
      </p>
    </li>
  )
}
