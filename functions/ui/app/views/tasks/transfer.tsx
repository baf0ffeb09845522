import { Download, Ellipsis, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { Popover } from '../../components/popover.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { routes } from '../../data/at-build.ts'
import { useMe } from '../../data/me.ts'
import { useImportTasks } from '../../data/tasks.ts'

/** Import is for admins. */
export const Transfer = () => {
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  const isAdmin = useMe()?.role === 'admin'
  const { mutate, data, error, isPending } = useImportTasks()
  const take = (file: File | undefined) => {
    if (!file) return
    setOpen(true)
    mutate(file)
  }
  return (
    <>
      <Popover
        label="Export and import"
        trigger={
          <Button kind="ghost" size="icon" aria-label="Export and import">
            <Ellipsis size={16} />
          </Button>
        }
      >
        <div className="flex flex-col items-stretch p-1.5">
          <a href={routes.exportTasks.path} download className={buttonClass({ kind: 'ghost' })}>
            <Download size={14} /> Export all tasks
          </a>
          {isAdmin && (
            <Button kind="ghost" onClick={() => input.current?.click()}>
              <Upload size={14} /> Import tasks
            </Button>
          )}
        </div>
      </Popover>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="File to import"
        className="hidden"
        onChange={({ target }) => {
          take(target.files?.[0])
          target.value = ''
        }}
      />
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Import">
        <DialogBody>
          {isPending && <p role="status">Importing…</p>}
          {error && (
            <p role="alert" className="text-destructive">
              {error instanceof SyntaxError
                ? 'This file is not JSON. Choose a task export.'
                : errorMessage(error)}
            </p>
          )}
          {data && <Results {...data.results} />}
        </DialogBody>
        <DialogFoot>
          <Button kind="primary" onClick={() => setOpen(false)}>
            Done
          </Button>
        </DialogFoot>
      </Dialog>
    </>
  )
}

type Imported = NonNullable<ReturnType<typeof useImportTasks>['data']>['results']

const Results = ({ imported, skipped, errors, moreErrors = 0 }: Imported) => (
  <>
    <p role="status">
      {imported} imported, {skipped} already existed, {errors.length + moreErrors} rejected
    </p>
    {moreErrors > 0 && <p>The first {errors.length} errors:</p>}
    {errors.length > 0 && (
      <ul aria-label="Errors" className="divide-y rounded-md border">
        {errors.map(({ index, id, message }) => (
          <li key={index} className="px-3 py-1.5">
            <span className="font-mono text-xs">{id ?? `entry ${index + 1}`}</span>{' '}
            <span className="text-destructive">{message}</span>
          </li>
        ))}
      </ul>
    )}
  </>
)
