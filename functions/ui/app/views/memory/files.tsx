import { Link } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { formatBytes } from '../../components/bytes.ts'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, rowLinkClass } from '../../components/data-row.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { iconsColumn } from '../../components/icons-column.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import { useMemoryFiles, useRemoveFile } from '../../data/memory.ts'

type File = ReturnType<typeof useMemoryFiles>['rows'][number]

export const Files = () => {
  const pages = useMemoryFiles()
  return (
    <PagedTable
      label="Files in memory"
      columns={columns}
      pages={pages}
      empty={
        <Empty
          title="No files in memory"
          curl={`curl -X POST ${location.origin}/api/memory/sync -H 'content-type: application/json' -d '{}'`}
        >
          Put Markdown files into the folder MEMORY_DIR, then sync.
        </Empty>
      }
    />
  )
}

const Remove = ({ path }: File) => {
  const remove = useRemoveFile()
  return (
    <Confirm
      verb="Remove"
      title={`Remove ${path}`}
      kind="ghost"
      size="icon"
      trigger={<Trash2 size={14} />}
      onConfirm={() => remove.mutateAsync(path)}
    >
      The file itself stays, and is added again when it changes.
    </Confirm>
  )
}

const quiet = 'text-muted-foreground'
const columns: readonly Column<File>[] = [
  {
    id: 'path',
    header: 'File',
    width: 'minmax(0, 1fr)',
    cell: ({ path }) => (
      <Link to="/memory" search={{ path }} data-row-link className={`font-medium ${rowLinkClass}`}>
        {startOfLine(path)}
      </Link>
    ),
  },
  {
    id: 'chunks',
    header: 'Chunks',
    width: '4.5rem',
    narrow: null,
    cell: ({ chunks }) => <span className={quiet}>{chunks}</span>,
  },
  {
    id: 'size',
    header: 'Size',
    width: '5rem',
    narrow: null,
    cell: ({ size }) => <span className={quiet}>{formatBytes(size)}</span>,
  },
  {
    id: 'updated',
    header: 'Indexed',
    width: '5rem',
    narrow: '3.75rem',
    cell: ({ updatedAt }) => <When at={updatedAt} className={`relative z-1 ${quiet}`} />,
  },
  iconsColumn({ header: 'Remove', count: 1, isOnPhones: true, icons: Remove }),
]
