import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, Undo2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from './button.tsx'

const manager = Base.createToastManager()

/** What open toasts offer to undo, the latest last. */
const undos = new Set<() => void>()

/** Errors stay until they are dismissed. */
export const toast = {
  done: (title: string, description?: string) => manager.add({ title, description, type: 'done' }),
  failed: (title: string, description?: string) =>
    manager.add({ title, description, type: 'failed', priority: 'high', timeout: 0 }),
  /** Stays for this time, by default until it is closed. */
  undoable: (title: string, description: string | undefined, onUndo: () => void, timeout = 0) => {
    const undo = () => {
      undos.delete(undo)
      manager.close(id)
      onUndo()
    }
    const id: string = manager.add({
      title,
      description,
      type: 'undoable',
      timeout,
      onClose: () => undos.delete(undo),
      actionProps: { children: 'Undo', onClick: undo },
    })
    undos.add(undo)
    return id
  },
  /** Undoes what the latest open toast offers to. False if there is none. */
  undo: (): boolean => {
    const undo = [...undos].at(-1)
    undo?.()
    return undo !== undefined
  },
  close: (id: string) => manager.close(id),
}

export const Toasts = () => (
  <Base.Provider toastManager={manager} limit={4}>
    <Base.Portal>
      <Base.Viewport className="fixed right-3 bottom-3 z-60 flex max-md:bottom-17 [body:has([data-composer])_&]:bottom-22 max-md:[body:has([data-composer])_&]:bottom-36 w-88 max-w-[calc(100vw-1.5rem)] flex-col gap-2">
        <List />
      </Base.Viewport>
    </Base.Portal>
  </Base.Provider>
)

const icons: Readonly<Record<string, ReactNode>> = {
  done: <CircleCheck size={16} className="mt-px shrink-0 text-completed" />,
  failed: <CircleAlert size={16} className="mt-px shrink-0 text-failed" />,
  undoable: <Undo2 size={16} className="mt-px shrink-0 text-muted-foreground" />,
}

const List = () =>
  Base.useToastManager().toasts.map((one) => (
    <Base.Root
      key={one.id}
      toast={one}
      data-toast
      className="flex items-start gap-2.5 rounded-lg border bg-popover px-3 py-2.5 text-popover-foreground shadow-lg transition duration-150 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0"
    >
      {icons[one.type ?? 'done']}
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <Base.Title className="font-medium" />
        <Base.Description className="text-muted-foreground" />
      </div>
      {one.actionProps && <Base.Action className={buttonClass({ size: 'small' })} />}
      <Base.Close aria-label="Dismiss" className="rounded p-0.5 text-muted-foreground hover:bg-accent">
        <X size={14} />
      </Base.Close>
    </Base.Root>
  ))
