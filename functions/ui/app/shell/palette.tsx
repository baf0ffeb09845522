import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { usePaused } from '../components/paused.ts'
import { State } from '../components/state.tsx'
import { startOfLine } from '../components/text-weight.ts'
import { foundTasks } from '../data/tasks.ts'
import { destinations } from './nav.ts'
import { closeOverlay, openCreate } from './overlay.ts'
import { chooseTheme } from './theme.ts'

const item =
  'flex h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 aria-selected:bg-accent [&_svg]:text-muted-foreground'
const group =
  'px-2 pb-2 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted-foreground'

export const Palette = () => {
  const [text, setText] = useState('')
  const words = usePaused(text.trim())
  const { data, isPending } = useQuery(foundTasks(words))
  // Results of an earlier query are hidden: Enter would open the wrong task.
  const isBehind = words !== text.trim() || isPending
  const navigate = useNavigate()
  const go = (act: () => unknown) => () => {
    closeOverlay()
    act()
  }
  return (
    <Dialog isOpen onClose={closeOverlay} title="Search" isBare>
      <Command label="Search tasks, views and actions" className="flex min-h-0 flex-col">
        <Command.Input
          autoFocus
          value={text}
          onValueChange={setText}
          placeholder="Search tasks, views and actions"
          className="h-12 shrink-0 border-b bg-transparent px-4 text-base outline-none placeholder:text-muted-foreground"
        />
        <Command.List className="max-h-[60vh] overflow-y-auto pt-2">
          <Command.Empty className="px-4 py-8 text-center text-muted-foreground">
            {isBehind ? 'Searching…' : 'No results'}
          </Command.Empty>
          <Command.Group heading="Go to" className={group}>
            {destinations.map(({ to, label, icon: Icon }) => (
              <Command.Item key={to} className={item} onSelect={go(() => navigate({ to }))}>
                <Icon size={15} /> {label}
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Actions" className={group}>
            <Command.Item className={item} onSelect={go(openCreate)}>
              Create task
            </Command.Item>
            {(['dark', 'light', 'system'] as const).map((name) => (
              <Command.Item key={name} className={item} onSelect={go(() => chooseTheme(name))}>
                Theme: {name}
              </Command.Item>
            ))}
          </Command.Group>
          {!isBehind && data && data.tasks.length > 0 && (
            <Command.Group heading="Tasks" className={group}>
              {data.tasks.map(({ id, title, status }) => (
                <Command.Item
                  key={id}
                  value={id}
                  keywords={[title, words]}
                  className={item}
                  onSelect={go(() => navigate({ to: '/tasks/$id', params: { id } }))}
                >
                  <span className="min-w-0 flex-1 truncate">{startOfLine(title)}</span>
                  <State status={status} />
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Dialog>
  )
}
