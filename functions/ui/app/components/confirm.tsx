import { type ReactNode, useState } from 'react'
import { Button, type ButtonLook } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
import { Refusal } from './refusal.tsx'

type Props = ButtonLook & {
  /** What the button says, and the one that confirms. */
  verb: string
  title: string
  /** What will be different afterwards. */
  children: ReactNode
  /** Closes when it has been done; what it throws is shown in place. */
  onConfirm: () => Promise<unknown>
  trigger?: ReactNode
  /** What the button says that leaves it as it is. */
  keep?: string
  disabled?: boolean
}

/** A button for what cannot be undone: it asks once. */
export const Confirm = ({
  verb,
  title,
  children,
  onConfirm,
  trigger,
  kind = 'danger',
  size = 'small',
  keep = 'Keep it',
  disabled = false,
}: Props) => {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const confirm = async () => {
    setBusy(true)
    setError(undefined)
    await onConfirm().then(() => setOpen(false), setError)
    setBusy(false)
  }
  return (
    <>
      <Button
        needsService
        kind={kind}
        size={size}
        title={size === 'icon' ? verb : undefined}
        aria-label={title}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {trigger ?? verb}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={title}>
        <DialogBody>
          <div>{children}</div>
          <Refusal error={error} />
        </DialogBody>
        <DialogFoot>
          <Button onClick={() => setOpen(false)}>{keep}</Button>
          <Button needsService kind="danger" disabled={isBusy} onClick={confirm}>
            {verb}
          </Button>
        </DialogFoot>
      </Dialog>
    </>
  )
}
