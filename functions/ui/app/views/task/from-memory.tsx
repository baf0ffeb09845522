import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { ThumbsDown, ThumbsUp } from '../../components/icons.tsx'
import { saysOf } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useRate } from '../../data/memory.ts'

type Given = {
  id: string
  path?: string
  startLine?: number
  endLine?: number
  heading?: string
  intent?: string
}

/** What the agent wrote of memory into its result; another agent may have written anything there. */
const givenIn = (memory: unknown, name: 'chunks' | 'experiences'): Given[] => {
  const list = (Object(memory) as Record<string, unknown>)[name]
  return Array.isArray(list) ? list.filter((each) => typeof Object(each).id === 'string') : []
}

/** What of memory a task began with, and whether that was of use. */
export const FromMemory = ({ memory }: { memory: unknown }) => {
  const [chunks, experiences] = [givenIn(memory, 'chunks'), givenIn(memory, 'experiences')]
  if (chunks.length + experiences.length === 0) return null
  return (
    <Panel title="From memory">
      <ul className="divide-y">
        {chunks.map(({ id, path = '', startLine, endLine, heading }) => (
          <Row key={id} id={id} kind="chunk">
            <Link to="/memory" search={{ path }} className="truncate font-mono text-xs hover:underline">
              {path}:{startLine}–{endLine}
            </Link>
            {heading && <span className="truncate text-muted-foreground">{heading}</span>}
          </Row>
        ))}
        {experiences.map(({ id, intent }) => (
          <Row key={id} id={id} kind="experience">
            <Link
              to="/memory"
              search={{ show: 'experiences', item: id }}
              className="truncate hover:underline"
            >
              {intent}
            </Link>
            <span className="shrink-0 text-muted-foreground">earlier work</span>
          </Row>
        ))}
      </ul>
    </Panel>
  )
}

const Row = ({ id, kind, children }: { id: string; kind: 'chunk' | 'experience'; children: ReactNode }) => {
  const { mutate, isPending, data, variables } = useRate()
  const rate = (useful: boolean) =>
    mutate({ kind, id, useful }, { onError: (error) => void toast.failed('Not noted', saysOf(error)) })
  const said = data === undefined ? undefined : variables?.useful
  return (
    <li className="flex min-h-9 items-center gap-3 px-3.5 py-1.5">
      <span className="flex min-w-0 flex-1 items-baseline gap-3">{children}</span>
      {said === undefined ? (
        <>
          <span className="shrink-0 text-xs text-muted-foreground max-sm:hidden">Was this useful?</span>
          <Button
            kind="ghost"
            size="icon"
            disabled={isPending}
            aria-label="Useful"
            onClick={() => rate(true)}
          >
            <ThumbsUp size={14} />
          </Button>
          <Button
            kind="ghost"
            size="icon"
            disabled={isPending}
            aria-label="Not useful"
            onClick={() => rate(false)}
          >
            <ThumbsDown size={14} />
          </Button>
        </>
      ) : (
        <span role="status" className="shrink-0 text-xs text-muted-foreground">
          {said ? 'Noted as useful' : 'Noted as not useful'}
        </span>
      )}
    </li>
  )
}
