package main

import (
	"fmt"

	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
)

// nameOf is `Kind/name`.
func nameOf(object runtime.Object) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return fmt.Sprintf("%T", object)
	}
	return object.GetObjectKind().GroupVersionKind().Kind + "/" + accessor.GetName()
}

// chart is what the objects refer to.
type chart struct {
	names    map[string]bool
	pods     map[string]corev1.PodTemplateSpec
	mistakes []string
}

func (c *chart) wrong(object runtime.Object, format string, args ...any) {
	c.mistakes = append(c.mistakes, nameOf(object)+": "+fmt.Sprintf(format, args...))
}

// betweenObjects finds names that Kubernetes refuses or that occur twice, and references without a target.
func betweenObjects(objects []runtime.Object) []string {
	c := &chart{names: map[string]bool{}, pods: map[string]corev1.PodTemplateSpec{}}
	for _, object := range objects {
		c.checkName(object)
		switch typed := object.(type) {
		case *appsv1.Deployment:
			c.pods[nameOf(object)] = typed.Spec.Template
			c.checkSelector(object, typed.Spec.Selector, typed.Spec.Template.Labels)
		case *batchv1.Job:
			c.pods[nameOf(object)] = typed.Spec.Template
		}
	}
	for _, object := range objects {
		if template, found := c.pods[nameOf(object)]; found {
			c.checkPod(object, template)
		}
		c.checkReferences(object)
	}
	return c.mistakes
}

func (c *chart) checkName(object runtime.Object) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		c.wrong(object, "%v", err)
		return
	}
	for _, message := range validation.IsDNS1123Subdomain(accessor.GetName()) {
		c.wrong(object, "the name: %s", message)
	}
	// Kubernetes cuts none of these: a Service and a pod's labels allow 63 characters.
	if len(accessor.GetName()) > 63 {
		c.wrong(object, "the name is longer than 63 characters")
	}
	if c.names[nameOf(object)] {
		c.wrong(object, "exists twice")
	}
	c.names[nameOf(object)] = true
	c.checkLabels(object, accessor.GetLabels())
}

func (c *chart) checkLabels(object runtime.Object, set map[string]string) {
	for name, value := range set {
		for _, message := range validation.IsQualifiedName(name) {
			c.wrong(object, "the label %s: %s", name, message)
		}
		for _, message := range validation.IsValidLabelValue(value) {
			c.wrong(object, "the label %s=%s: %s", name, value, message)
		}
	}
}

func (c *chart) checkSelector(object runtime.Object, selector *metav1.LabelSelector, of map[string]string) {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		c.wrong(object, "the selector: %v", err)
	} else if !parsed.Matches(labels.Set(of)) {
		c.wrong(object, "the selector %s does not select its own pods", parsed)
	}
}

// selected are the names of the workloads whose pods a selector selects.
func (c *chart) selected(selector *metav1.LabelSelector) (names []string) {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil
	}
	for name, template := range c.pods {
		if parsed.Matches(labels.Set(template.Labels)) {
			names = append(names, name)
		}
	}
	return names
}

// checkReferences checks what an object says of others of the chart.
func (c *chart) checkReferences(object runtime.Object) {
	exactlyOne := func(selector *metav1.LabelSelector) {
		if found := c.selected(selector); len(found) != 1 {
			c.wrong(object, "selects the pods of %v and not of one workload", found)
		}
	}
	switch typed := object.(type) {
	case *corev1.Service:
		selector := &metav1.LabelSelector{MatchLabels: typed.Spec.Selector}
		exactlyOne(selector)
		for _, port := range typed.Spec.Ports {
			for _, name := range c.selected(selector) {
				if !hasPort(c.pods[name], port.TargetPort.String()) {
					c.wrong(object, "%s has no port %s", name, port.TargetPort.String())
				}
			}
		}
	case *policyv1.PodDisruptionBudget:
		exactlyOne(typed.Spec.Selector)
	case *networkingv1.NetworkPolicy:
		if len(c.selected(&typed.Spec.PodSelector)) == 0 {
			c.wrong(object, "selects no pod")
		}
	case *monitoring.PodMonitor:
		for _, name := range c.selected(&typed.Spec.Selector) {
			for _, endpoint := range typed.Spec.PodMetricsEndpoints {
				if endpoint.Port == nil || !hasPort(c.pods[name], *endpoint.Port) {
					c.wrong(object, "%s has no such port", name)
				}
			}
		}
		if len(c.selected(&typed.Spec.Selector)) == 0 {
			c.wrong(object, "selects no pod")
		}
	case *autoscalingv2.HorizontalPodAutoscaler:
		c.checkTarget(object, typed.Spec.ScaleTargetRef.Kind, typed.Spec.ScaleTargetRef.Name)
	case *keda.ScaledObject:
		c.checkTarget(object, "Deployment", typed.Spec.ScaleTargetRef.Name)
		for _, trigger := range typed.Spec.Triggers {
			if ref := trigger.AuthenticationRef; ref != nil {
				c.checkTarget(object, "TriggerAuthentication", ref.Name)
			}
		}
	case *networkingv1.Ingress:
		for _, rule := range typed.Spec.Rules {
			for _, path := range rule.HTTP.Paths {
				c.checkTarget(object, "Service", path.Backend.Service.Name)
			}
		}
	}
}

func (c *chart) checkTarget(object runtime.Object, kind, name string) {
	if !c.names[kind+"/"+name] {
		c.wrong(object, "there is no %s/%s", kind, name)
	}
}
