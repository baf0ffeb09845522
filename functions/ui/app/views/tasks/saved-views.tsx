import { useNavigate } from '@tanstack/react-router'
import { Bookmark, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Popover, PopoverClose } from '../../components/popover.tsx'
import { createShared } from '../../data/stored.ts'
import type { Filters } from '../../data/tasks.ts'

type SavedView = { readonly name: string; readonly filters: Filters }

const isViews = (value: unknown): value is readonly SavedView[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one?.name === 'string' && typeof one.filters === 'object')

const views = createShared<readonly SavedView[]>('task-views', [], isViews)

const without = (all: readonly SavedView[], name: string) => all.filter((one) => one.name !== name)

/** Stored in the browser. */
export const SavedViews = ({ filters }: { filters: Filters }) => {
  const navigate = useNavigate()
  const saved = views.use()
  return (
    <Popover
      label="Saved views"
      trigger={
        <Button kind="ghost" size="small">
          <Bookmark size={14} /> Views
        </Button>
      }
    >
      {saved.length > 0 && (
        <ul aria-label="Saved views" className="border-b p-1.5">
          {saved.map((view) => (
            <li key={view.name} className="flex items-center gap-1">
              <PopoverClose
                className="min-w-0 flex-1 truncate rounded-md px-2 py-1 text-left hover:bg-accent"
                onClick={() => void navigate({ to: '/tasks', search: view.filters })}
              >
                {view.name}
              </PopoverClose>
              <Button
                kind="ghost"
                size="icon"
                aria-label={`Remove ${view.name}`}
                onClick={() => views.update((all) => without(all, view.name))}
              >
                <X size={14} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Form
        label="Save this view"
        className="flex items-end gap-2 p-3"
        onSend={({ name = '' }, form) => {
          if (name.trim() === '') return
          const view = { name: name.trim(), filters }
          views.update((all) => [...without(all, view.name), view])
          form.reset()
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField label="Name of the view" name="name" maxLength={60} autoComplete="off" />
        </div>
        <Button type="submit" needsService={false}>
          Save
        </Button>
      </Form>
    </Popover>
  )
}
