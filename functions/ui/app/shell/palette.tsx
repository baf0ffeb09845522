import { useNavigate } from '@tanstack/react-router'
import { Command, useCommandState } from 'cmdk'
import { Search, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { useNarrow } from '../components/narrow.ts'
import { usePaused } from '../components/paused.ts'
import { errorMessage } from '../components/problem.tsx'
import { closeOverlay } from './overlay.ts'
import { useActions } from './palette-actions.ts'
import { useFound } from './palette-found.ts'
import { fits, usePlaces } from './palette-places.ts'
import { ConversationItem, DocsItem, EntryItem, MoreTasks, PaletteGroup, TaskItem } from './palette-rows.tsx'
import { TaskInView } from './palette-task.tsx'
import { taskInView } from './task-in-view.ts'

export const Palette = () => {
  const [text, setText] = useState('')
  const typed = text.trim()
  const words = usePaused(typed)
  const found = useFound(words)
  // Results of an earlier query are hidden: Enter would open the wrong task.
  const isBehind = words !== typed || found.isPending
  const navigate = useNavigate()
  // Before the dialog takes the focus from the row.
  const [inView] = useState(taskInView)
  const hasOwnLink = location.pathname === `/tasks/${inView}`
  const actions = useActions().filter((one) => fits(one, typed) && !(hasOwnLink && one.id === 'link'))
  const places = usePlaces(typed)
  const isNarrow = useNarrow()
  // There the menu is at hand.
  const hidesPlaces = isNarrow && typed === ''
  return (
    <Dialog isOpen onClose={closeOverlay} title="Search" isBare>
      <Command label="Search everything" shouldFilter={false} className="flex min-h-0 flex-col">
        <div className="flex shrink-0 items-center border-b pr-2 pl-4">
          <Search size={16} className="shrink-0 text-muted-foreground" aria-hidden />
          <Command.Input
            autoFocus
            value={text}
            onValueChange={setText}
            placeholder={isNarrow ? 'Search' : 'Search tasks, conversations, settings and docs'}
            className="h-12 min-w-0 flex-1 bg-transparent px-2.5 text-base text-ellipsis outline-none placeholder:text-muted-foreground"
          />
          <Button
            kind="ghost"
            size="icon"
            className="md:hidden"
            aria-label="Close the search"
            onClick={closeOverlay}
          >
            <X size={16} />
          </Button>
        </div>
        <Command.List className="max-h-[60vh] overflow-y-auto pt-2">
          {inView && <TaskInView id={inView} typed={typed} />}
          <PaletteGroup
            heading="Actions"
            items={actions}
            draw={(one) => <EntryItem key={one.id} entry={one} />}
          />
          <PaletteGroup
            heading="Go to"
            items={hidesPlaces ? [] : places}
            draw={({ to, ...one }) => (
              <EntryItem key={to} entry={{ ...one, id: to, act: () => navigate({ to }) }} />
            )}
          />
          {!isBehind && (
            <>
              <PaletteGroup
                heading={typed === '' ? 'Newest tasks' : 'Tasks'}
                items={found.tasks}
                draw={(task) => <TaskItem key={task.id} task={task} words={words} />}
              />
              {found.total > found.tasks.length && typed !== '' && (
                <MoreTasks total={found.total} words={words} />
              )}
              <PaletteGroup
                heading="Conversations"
                items={found.conversations}
                draw={(one) => <ConversationItem key={one.id} conversation={one} words={words} />}
              />
              <PaletteGroup
                heading="Docs"
                items={found.docs}
                draw={(hit) => (
                  <DocsItem key={`${hit.group}/${hit.page}#${hit.anchor}`} hit={hit} words={words} />
                )}
              />
            </>
          )}
          <Outcome isBehind={isBehind && typed !== ''} error={found.error} />
        </Command.List>
      </Command>
    </Dialog>
  )
}

const outcomeText = (isBehind: boolean, error: Error | null) => {
  if (isBehind) return 'Searching…'
  return error ? `Tasks were not searched: ${errorMessage(error)}` : 'No results'
}

const Outcome = ({ isBehind, error }: { isBehind: boolean; error: Error | null }) => {
  const count = useCommandState(({ filtered }) => filtered.count)
  if (!isBehind && !error && count > 0) return null
  return (
    <p role="presentation" className="px-4 py-8 text-center text-muted-foreground">
      {outcomeText(isBehind, error)}
    </p>
  )
}
