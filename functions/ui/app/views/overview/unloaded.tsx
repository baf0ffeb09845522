import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRecovery } from '../../components/boundary.tsx'

/** In place of a hint whose code could not be loaded. */
export const Unloaded = (props: ErrorComponentProps) => {
  useRecovery(props)
  return null
}
