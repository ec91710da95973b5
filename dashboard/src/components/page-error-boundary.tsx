// What is shown in place of a page whose script cannot be loaded, or that fails while it renders. React offers
// error boundaries as classes only.
import { Component, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface PageErrorBoundaryProps {
  readonly children: ReactNode;
}

interface PageErrorBoundaryState {
  readonly error?: Error;
}

/** Give it the address as its `key`, so that opening another page tries again. */
export class PageErrorBoundary extends Component<PageErrorBoundaryProps, PageErrorBoundaryState> {
  override state: PageErrorBoundaryState = {};

  static getDerivedStateFromError(error: Error): PageErrorBoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <PageError error={error} />;
  }
}

function PageError({ error }: { readonly error: Error }) {
  return (
    <div className="page">
      <h1>This page could not be shown.</h1>
      <div className="state failed" role="alert">
        <p>
          <Icon name="server" /> The service may have been updated or stopped since this tab was opened.
        </p>
        <p className="muted">{error.message}</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    </div>
  );
}
