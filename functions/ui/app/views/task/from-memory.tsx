import { Link } from '@tanstack/react-router'
import { ThumbsDown, ThumbsUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { toast } from '../../components/toast.tsx'
import { Windowed } from '../../components/windowed.tsx'
import { type Given, useRateMemory, useVerdicts } from '../../data/memory.ts'
import { Section } from './section.tsx'

type GivenItem = {
  id: string
  path?: string
  startLine?: number
  endLine?: number
  heading?: string
  intent?: string
}

/** Results come from agents and may hold anything. */
const givenIn = (memory: unknown, name: 'chunks' | 'experiences'): GivenItem[] => {
  const list = (Object(memory) as Record<string, unknown>)[name]
  return Array.isArray(list) ? list.filter((each) => typeof Object(each).id === 'string') : []
}

export const FromMemory = ({ taskId, memory }: { taskId: string; memory: unknown }) => {
  const [chunks, experiences] = [givenIn(memory, 'chunks'), givenIn(memory, 'experiences')]
  if (chunks.length + experiences.length === 0) return null
  return (
    <Section title="From memory">
      <ul className="divide-y pb-1">
        <Windowed
          isList
          items={[
            ...chunks.map((chunk) => ({ kind: 'chunk' as const, ...chunk })),
            ...experiences.map((experience) => ({ kind: 'experience' as const, ...experience })),
          ]}
          getKey={({ kind, id }) => `${kind} ${id}`}
          draw={(given) => (
            <Row id={given.id} kind={given.kind} taskId={taskId}>
              {given.kind === 'chunk' ? <ChunkLink {...given} /> : <ExperienceLink {...given} />}
            </Row>
          )}
          itemPx={ROW_PX}
          className="divide-y"
        />
      </ul>
    </Section>
  )
}

const ROW_PX = 36

const ChunkLink = ({ path = '', startLine, endLine, heading }: GivenItem) => (
  <>
    <Link
      to="/memory"
      search={{ path }}
      className="max-w-full shrink-0 truncate font-mono text-xs hover:underline"
    >
      {startOfLine(path)}:{startLine}–{endLine}
    </Link>
    {heading && <span className="min-w-0 truncate text-muted-foreground">{startOfLine(heading)}</span>}
  </>
)

const ExperienceLink = ({ id, intent = '' }: GivenItem) => (
  <>
    <Link to="/memory" search={{ show: 'experiences', item: id }} className="truncate hover:underline">
      {startOfLine(intent)}
    </Link>
    <span className="shrink-0 text-muted-foreground">earlier work</span>
  </>
)

const ANSWERS = [
  { useful: true, label: 'Useful', Icon: ThumbsUp },
  { useful: false, label: 'Not useful', Icon: ThumbsDown },
] as const

type RowProps = Given & { taskId: string; children: ReactNode }

/** The last rating stays pressed; the other one replaces it. */
const Row = ({ id, kind, taskId, children }: RowProps) => {
  const { data: verdicts } = useVerdicts(taskId)
  const { mutate, isPending, variables } = useRateMemory(taskId)
  const verdict = isPending ? variables.useful : verdicts?.get(id)
  const rate = (useful: boolean) =>
    mutate({ kind, id, useful }, { onError: (error) => void toast.failed('Not saved', errorMessage(error)) })
  return (
    <li className="flex min-h-9 items-center gap-3 px-3.5 py-1">
      <span className="flex min-w-0 flex-1 items-baseline gap-3">{children}</span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend and a border. */}
      <span role="group" aria-label="Was this useful?" className="flex shrink-0 items-center gap-1">
        <span aria-hidden className="text-xs text-muted-foreground max-sm:hidden">
          {verdict === undefined ? 'Was this useful?' : verdict ? 'Useful' : 'Not useful'}
        </span>
        {ANSWERS.map(({ useful, label, Icon }) => (
          <Button
            key={label}
            kind="ghost"
            size="icon"
            needsService
            disabled={isPending}
            aria-label={label}
            aria-pressed={verdict === useful}
            className="aria-pressed:bg-accent aria-pressed:text-foreground"
            onClick={() => verdict !== useful && rate(useful)}
          >
            <Icon size={14} />
          </Button>
        ))}
      </span>
    </li>
  )
}
