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
  useWarm,
} from '../../data/memory.ts'

export const Sessions = () => {
  const pages = useMemorySessions()
  return (
    <>
      <Begin />
      <PagedTable
        label="Memory sessions"
        columns={columns}
        pages={pages}
        empty={
          <Empty title="No session is under way">
            A session names a stretch of work; warming it up shows what memory has on it.
          </Empty>
        }
      />
    </>
  )
}

const Begin = () => {
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
        Begin
      </Button>
    </Form>
  )
}

const Actions = ({ id, name }: MemorySession) => {
  const warm = useWarm()
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
  const putAside = () =>
    archive.mutate(id, { onError: (error) => void toast.failed('Not put aside', errorMessage(error)) })
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
        title="Put aside"
        aria-label={`Put ${name} aside`}
        disabled={archive.isPending}
        onClick={putAside}
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
    header: 'Begun',
    width: '5rem',
    narrow: '3.75rem',
    cell: ({ createdAt }) => <When at={createdAt} className="relative z-1 text-muted-foreground" />,
  },
  iconsColumn({ header: 'Actions', count: 2, isOnPhones: true, icons: Actions }),
]
