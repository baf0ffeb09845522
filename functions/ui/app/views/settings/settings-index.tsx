import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSectionsBeside } from '../../components/narrow.ts'

/** Beside the list of sections the first one is open. Alone, the list is the page. */
export const SettingsIndex = (): ReactNode =>
  useSectionsBeside() ? <Navigate to="/settings/profile" replace /> : null
