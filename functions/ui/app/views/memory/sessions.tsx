import { Archive, Flame } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import type { Column } from '../../components/data-row.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, type Texts } from '../../components/form.tsx'
import { iconsColumn } from '../../components/icons-column.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { toast } from '../../components/toast.tsx'
import { When } from '../../components/when.tsx'
import {
  type MemorySession,
  useArchiveSession,
  useCreateSession,
  useMemorySessions,
  useWarmMemory,
} from '../../data/memory.ts'

export const Sessions = () => {
  const pages = useMemorySessions()
  return (
    <>
      <CreateSession />
      <PagedTable
        label="Memory sessions"
        columns={columns}
        pages={pages}
        empty={<Empty title="No active sessions">A session collects memory for one piece of work.</Empty>}
      />
    </>
  )
}

const CreateSession = () => {
  const { mutate, error, isPending } = useCreateSession()
  const begin = ({ name = '' }: Texts, form: HTMLFormElement) =>
    mutate({ name: name.trim() }, { onSuccess: () => form.reset() })
  return (
    <Form
      label="New session"
      error={error}
      onSend={begin}
      className="flex items-end gap-2 border-b px-4 py-2 md:px-6"
    >
      <TextField
        label="New session"
        name="name"
        autoComplete="off"
        placeholder="Release 7"
        maxLength={200}
        error={fieldErrors(error).name}
      />
      <Button type="submit" disabled={isPending}>
        Create
      </Button>
    </Form>
  )
}

const Actions = ({ id, name }: MemorySession) => {
  const warm = useWarmMemory()
  const archive = useArchiveSession()
  const warmUp = () =>
    warm.mutate(name, {
      onSuccess: ({ message, chunks }) =>
        void toast.done(
          message,
          chunks.map(({ path, startLine, endLine }) => `${path}:${startLine}–${endLine}`).join(', '),
        ),
      onError: (error) => void toast.failed('Not warmed up', errorMessage(error)),
    })
  const archiveSession = () =>
    archive.mutate(id, { onError: (error) => void toast.failed('Not archived', errorMessage(error)) })
  return (
    <>
      <Button
        kind="ghost"
        size="icon"
        title="Warm up"
        aria-label={`Warm up ${name}`}
        disabled={warm.isPending}
        onClick={warmUp}
      >
        <Flame size={14} />
      </Button>
      <Button
        kind="ghost"
        size="icon"
        title="Archive"
        aria-label={`Archive ${name}`}
        disabled={archive.isPending}
        onClick={archiveSession}
      >
        <Archive size={14} />
      </Button>
    </>
  )
}

const columns: readonly Column<MemorySession>[] = [
  {
    id: 'name',
    header: 'Session',
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => <span className="truncate font-medium">{startOfLine(name)}</span>,
  },
  {
    id: 'begun',
    header: 'Created',
    width: '5rem',
    narrow: '3.75rem',
    cell: ({ createdAt }) => <When at={createdAt} className="relative z-1 text-muted-foreground" />,
  },
  iconsColumn({ header: 'Actions', count: 2, isOnPhones: true, icons: Actions }),
]
