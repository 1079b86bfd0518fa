package main

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// hasPort is true if a container of the pod has a port of this name or number.
func hasPort(template corev1.PodTemplateSpec, wanted string) bool {
	for _, container := range template.Spec.Containers {
		for _, port := range container.Ports {
			if port.Name == wanted || strconv.Itoa(int(port.ContainerPort)) == wanted {
				return true
			}
		}
	}
	return false
}

// checkPod checks a pod against the restricted Pod Security Standard
// (https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted), and its own references.
func (c *chart) checkPod(object runtime.Object, template corev1.PodTemplateSpec) {
	c.checkLabels(object, template.Labels)
	spec := template.Spec
	if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
		c.wrong(object, "mounts the token of its service account")
	}
	security := spec.SecurityContext
	if security == nil || security.RunAsNonRoot == nil || !*security.RunAsNonRoot {
		c.wrong(object, "may run as root")
	}
	if security == nil || security.SeccompProfile == nil ||
		security.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		c.wrong(object, "has no seccomp profile")
	}
	volumes := map[string]bool{}
	for _, volume := range spec.Volumes {
		if volumes[volume.Name] {
			c.wrong(object, "the volume %s exists twice", volume.Name)
		}
		volumes[volume.Name] = true
		if claim := volume.PersistentVolumeClaim; claim != nil && !c.names["PersistentVolumeClaim/"+claim.ClaimName] {
			// A claim of the operator's own is not in the chart.
			continue
		}
	}
	for _, container := range append(spec.InitContainers, spec.Containers...) {
		c.checkContainer(object, template, container, volumes)
	}
}

func (c *chart) checkContainer(
	object runtime.Object, template corev1.PodTemplateSpec, container corev1.Container, volumes map[string]bool,
) {
	security := container.SecurityContext
	if security == nil || security.AllowPrivilegeEscalation == nil || *security.AllowPrivilegeEscalation {
		c.wrong(object, "%s may gain privileges", container.Name)
	}
	if security == nil || security.ReadOnlyRootFilesystem == nil || !*security.ReadOnlyRootFilesystem {
		c.wrong(object, "%s may write to its root", container.Name)
	}
	if security == nil || security.Capabilities == nil || len(security.Capabilities.Drop) != 1 ||
		security.Capabilities.Drop[0] != "ALL" || len(security.Capabilities.Add) != 0 {
		c.wrong(object, "%s keeps capabilities", container.Name)
	}
	if container.Resources.Requests.Cpu().IsZero() || container.Resources.Limits.Memory().IsZero() {
		c.wrong(object, "%s has no request for CPU or no limit of memory", container.Name)
	}
	for _, mount := range container.VolumeMounts {
		if !volumes[mount.Name] {
			c.wrong(object, "%s mounts %s, which is no volume", container.Name, mount.Name)
		}
	}
	seen := map[string]bool{}
	for _, variable := range container.Env {
		if seen[variable.Name] {
			c.wrong(object, "%s sets %s twice", container.Name, variable.Name)
		}
		seen[variable.Name] = true
	}
	for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
		if probe != nil && !hasPort(template, probe.HTTPGet.Port.String()) {
			c.wrong(object, "%s has no port %s for its probe", container.Name, probe.HTTPGet.Port.String())
		}
	}
}
