// When a page breaks, the shell stays and says so.
import { Component, type ComponentChildren } from "preact";
import type { WireError } from "../wire.ts";
import { asProblem } from "./resource.ts";
import { ProblemNote } from "./states.tsx";

interface BoundaryState {
  readonly problem?: WireError;
}

export class Boundary extends Component<{ children: ComponentChildren }, BoundaryState> {
  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { problem: asProblem(error) };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render() {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <div class="page">
        <ProblemNote error={problem} retry={() => location.reload()} />
      </div>
    );
  }
}
