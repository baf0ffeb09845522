import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, X } from 'lucide-react'

const manager = Base.createToastManager()

/** Errors stay until they are dismissed. */
export const toast = {
  done: (title: string, description?: string) => manager.add({ title, description, type: 'done' }),
  failed: (title: string, description?: string) =>
    manager.add({ title, description, type: 'failed', priority: 'high', timeout: 0 }),
}

export const Toasts = () => (
  <Base.Provider toastManager={manager} limit={4}>
    <Base.Portal>
      <Base.Viewport className="fixed right-3 bottom-3 z-60 flex w-88 max-w-[calc(100vw-1.5rem)] flex-col gap-2">
        <List />
      </Base.Viewport>
    </Base.Portal>
  </Base.Provider>
)

const List = () =>
  Base.useToastManager().toasts.map((one) => (
    <Base.Root
      key={one.id}
      toast={one}
      data-toast
      className="flex items-start gap-2.5 rounded-lg border bg-popover px-3 py-2.5 text-popover-foreground shadow-lg transition duration-150 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0"
    >
      {one.type === 'failed' ? (
        <CircleAlert size={16} className="mt-px shrink-0 text-failed" />
      ) : (
        <CircleCheck size={16} className="mt-px shrink-0 text-completed" />
      )}
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <Base.Title className="font-medium" />
        <Base.Description className="text-muted-foreground" />
      </div>
      <Base.Close aria-label="Dismiss" className="rounded p-0.5 text-muted-foreground hover:bg-accent">
        <X size={14} />
      </Base.Close>
    </Base.Root>
  ))
