import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRecovery } from '../components/boundary.tsx'
import { Dialog } from '../components/dialog.tsx'
import { NotLoaded } from '../components/lazy.tsx'
import { Problem } from '../components/problem.tsx'
import { View } from '../components/view.tsx'
import { closeOverlay } from './overlay.ts'

const Why = (props: ErrorComponentProps) => {
  const retry = useRecovery(props)
  const error: unknown = props.error
  return (
    <Problem
      error={error instanceof Error ? error.message : error}
      advice={
        error instanceof NotLoaded
          ? 'It loads as soon as the service responds.'
          : 'It loads when the connection is back. If the error stays, reload the page.'
      }
      onRetry={retry}
    />
  )
}

const failureTitle = (error: unknown, what: string) =>
  error instanceof NotLoaded ? `This ${what} is not loaded yet` : 'Something went wrong'

export const Failed = (props: ErrorComponentProps) => (
  <View title={failureTitle(props.error, 'view')}>
    <Why {...props} />
  </View>
)

export const FailedOverlay = (props: ErrorComponentProps) => (
  <Dialog isOpen onClose={closeOverlay} title={failureTitle(props.error, 'dialog')}>
    <Why {...props} />
  </Dialog>
)
