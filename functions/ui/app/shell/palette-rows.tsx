import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { BookOpen, ListFilter, MessagesSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatNumber } from '../components/format.ts'
import { FoundIn, isFoundElsewhere } from '../components/found-in.tsx'
import { Marked } from '../components/marked.tsx'
import { State } from '../components/state.tsx'
import { startOfLine } from '../components/text-weight.ts'
import type { DocsHit } from '../data/docs-index.ts'
import { closeOverlay } from './overlay.ts'
import type { PaletteEntry } from './palette-actions.ts'
import type { FoundConversation, FoundTask } from './palette-found.ts'

type GroupProps<Item> = { heading: ReactNode; items: readonly Item[]; draw: (item: Item) => ReactNode }

export const PaletteGroup = <Item,>({ heading, items, draw }: GroupProps<Item>) =>
  items.length > 0 && (
    <Command.Group
      heading={heading}
      className="px-2 pb-2 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted-foreground"
    >
      {items.map(draw)}
    </Command.Group>
  )

type ItemProps = { value: string; act: () => unknown; isOff?: boolean; children: ReactNode }

/** Acts after the palette is closed. */
const Item = ({ value, act, isOff = false, children }: ItemProps) => (
  <Command.Item
    value={value}
    disabled={isOff}
    onSelect={() => {
      closeOverlay()
      act()
    }}
    className="flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 aria-disabled:opacity-50 aria-selected:bg-accent [&_svg]:shrink-0 [&_svg]:text-muted-foreground"
  >
    {children}
  </Command.Item>
)

export const EntryItem = ({ entry }: { entry: PaletteEntry }) => {
  const { id, label, isWhole, icon: Icon, shortcut, reason, act } = entry
  return (
    <Item value={`do ${id}`} act={act} isOff={reason !== undefined}>
      <Icon size={15} />
      <span
        className={`min-w-0 flex-1 ${isWhole ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : 'truncate'}`}
        title={reason}
      >
        {label}
      </span>
      {shortcut && (
        <kbd className="shrink-0 font-sans text-xs text-muted-foreground max-md:hidden" aria-hidden>
          {shortcut}
        </kbd>
      )}
    </Item>
  )
}

/** A title, and below it the part of a text that has the words. */
const TwoLines = ({ title, part }: { title: ReactNode; part: ReactNode }) => (
  <span className="flex min-w-0 flex-1 flex-col">
    <span className="truncate">{title}</span>
    {part && <span className="flex min-w-0 text-xs text-muted-foreground">{part}</span>}
  </span>
)

export const TaskItem = ({ task, words }: { task: FoundTask; words: string }) => {
  const navigate = useNavigate()
  const { id, title, status, waitingFor, match } = task
  return (
    <Item value={`task ${id}`} act={() => navigate({ to: '/tasks/$id', params: { id } })}>
      <TwoLines
        title={<Marked text={startOfLine(title)} words={words} />}
        part={isFoundElsewhere(match) && <FoundIn match={match} words={words} />}
      />
      <State status={status} waitingFor={waitingFor} />
    </Item>
  )
}

export const MoreTasks = ({ total, words }: { total: number; words: string }) => {
  const navigate = useNavigate()
  return (
    <div className="px-2 pb-2">
      <Item value="more tasks" act={() => navigate({ to: '/tasks', search: { q: words } })}>
        <ListFilter size={15} /> All {formatNumber(total)} in Tasks
      </Item>
    </div>
  )
}

type ConversationProps = { conversation: FoundConversation; words: string }

export const ConversationItem = ({ conversation: { id, title }, words }: ConversationProps) => {
  const navigate = useNavigate()
  return (
    <Item value={`conversation ${id}`} act={() => navigate({ to: '/chat/$id', params: { id } })}>
      <MessagesSquare size={15} />
      <span className="min-w-0 flex-1 truncate">
        <Marked text={startOfLine(title)} words={words} />
      </span>
    </Item>
  )
}

export const DocsItem = ({ hit, words }: { hit: DocsHit; words: string }) => {
  const navigate = useNavigate()
  const { group, page, title, heading, anchor, part } = hit
  const open = () =>
    navigate({
      to: '/docs/$group/$page',
      params: { group, page },
      ...(anchor === undefined ? {} : { hash: anchor }),
    })
  return (
    <Item value={`docs ${group}/${page}#${anchor}`} act={open}>
      <BookOpen size={15} />
      <TwoLines
        title={
          <>
            <Marked text={heading ?? title} words={words} />
            {heading !== undefined && <span className="text-muted-foreground"> · {title}</span>}
          </>
        }
        part={
          part !== '' && (
            <span className="truncate">
              <Marked text={part} words={words} />
            </span>
          )
        }
      />
    </Item>
  )
}
