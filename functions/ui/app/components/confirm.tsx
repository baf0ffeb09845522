import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, type ButtonLook } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
import { errorMessage } from './problem.tsx'
import { Refusal } from './refusal.tsx'
import { toast } from './toast.tsx'

type Props = ButtonLook & {
  /** Label of both the button and the confirmation. */
  verb: string
  title: string
  /** The consequence. */
  children: ReactNode
  /** Closes on success; an error is shown in the dialog. */
  onConfirm: () => Promise<unknown>
  trigger?: ReactNode
  /** Label of the button that cancels. */
  keep?: string
  disabled?: boolean
  /** Of the button. */
  className?: string
}

/** A button that asks for confirmation before it acts. */
export const Confirm = ({
  trigger,
  kind = 'danger',
  size = 'small',
  disabled = false,
  className = '',
  ...rest
}: Props) => {
  const [isOpen, setOpen] = useState(false)
  const { verb, title } = rest
  return (
    <>
      <Button
        needsService
        kind={kind}
        size={size}
        title={size === 'icon' ? verb : undefined}
        aria-label={title}
        disabled={disabled}
        className={className}
        onClick={() => setOpen(true)}
      >
        {trigger ?? verb}
      </Button>
      <ConfirmDialog isOpen={isOpen} onClose={() => setOpen(false)} {...rest} />
    </>
  )
}

type DialogProps = Pick<Props, 'verb' | 'title' | 'children' | 'onConfirm' | 'keep'> & {
  isOpen: boolean
  onClose: () => void
}

/** The confirmation alone, for an act of a menu. */
export const ConfirmDialog = ({
  verb,
  title,
  children,
  onConfirm,
  keep = 'Cancel',
  isOpen,
  onClose,
}: DialogProps) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const opening = useOpening(isOpen)
  const confirm = async () => {
    const asked = opening.current
    setBusy(true)
    setError(undefined)
    try {
      await onConfirm()
      if (opening.current === asked) onClose()
    } catch (failure) {
      if (opening.current === asked) setError(failure)
      else toast.failed(`${title}: failed`, errorMessage(failure))
    }
    setBusy(false)
  }
  const close = () => {
    setError(undefined)
    onClose()
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      <DialogBody>
        <div>{children}</div>
        <Refusal error={error} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={close}>{keep}</Button>
        <Button needsService kind="danger" disabled={isBusy} onClick={confirm}>
          {verb}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** Another number after each opening and closing: an answer may come when the dialog is closed, or open for another try. */
const useOpening = (isOpen: boolean) => {
  const opening = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each opening and closing.
  useEffect(() => {
    opening.current += 1
    return () => {
      opening.current += 1
    }
  }, [isOpen])
  return opening
}
